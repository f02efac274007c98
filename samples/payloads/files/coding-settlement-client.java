package com.example.ledger;

import com.example.ledger.audit.AuditWriter;
import com.example.ledger.http.RetryingHttpClient;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Books settlement batches at the payments gateway.
 *
 * <p>Public API: {@link #settle}, {@link #find}, {@link #cancel}. Other teams compile against it.
 */
public class SettlementClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SettlementClient.class);
  private static final Duration READ_TIMEOUT = Duration.ofMillis(2000);
  private static final int ATTEMPTS = 5;

  private final RetryingHttpClient http;
  private final AuditWriter audit;

  public SettlementClient(RetryingHttpClient http, AuditWriter audit) {
    this.http = Objects.requireNonNull(http, "http");
    this.audit = Objects.requireNonNull(audit, "audit");
  }

  private static Map<String, Object> body(Batch batch) {
    return Map.of(
        "batch", batch.id(),
        "amount", batch.total().toPlainString(),
        "currency", batch.currency().getCurrencyCode(),
        "lines", batch.lines().stream().map(SettlementClient::line).toList());
  }

  private static Map<String, Object> line(Batch.Line line) {
    if (line.amount().compareTo(BigDecimal.ZERO) <= 0) {
      throw new IllegalArgumentException("line " + line.id() + " has an amount of " + line.amount());
    }
    return Map.of("id", line.id(), "amount", line.amount().toPlainString(), "reference", line.reference());
  }

  /**
   * Books one batch and returns the gateway's settlement.
   *
   * @throws SettlementException when every attempt failed
   */
  public Settlement settle(Batch batch) {
    if (batch.lines().isEmpty()) {
      throw new IllegalArgumentException("batch " + batch.id() + " has no lines");
    }
    audit.started(batch.id(), batch.total());
    return withRetry(() -> http.post("/v2/settlements", body(batch)));
  }

  /** Reads a settlement by the gateway's id. */
  public Settlement find(String id) {
    return withRetry(() -> http.get("/v2/settlements/" + id));
  }

  /** Cancels a settlement that has not been paid out yet; the gateway answers 409 afterwards. */
  public void cancel(String id, String reason) {
    try {
      http.delete("/v2/settlements/" + id, Map.of("reason", reason));
    } catch (IOException failure) {
      throw new SettlementException("cancelling " + id, failure);
    }
  }

  @SuppressWarnings("unchecked")
  private <T> T withRetry(Callable<T> call) {
    Exception last = null;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return call.call();
      } catch (IOException failure) {
        last = failure;
        log.warn("attempt={} {}, retrying", attempt, failure.getMessage());
      } catch (Exception failure) {
        throw new SettlementException("unexpected", failure);
      }
    }
    throw new SettlementException("failed after " + ATTEMPTS + " attempts", last);
  }

  /** Lines that the gateway refused, in the order of the batch. */
  public List<Rejection> rejections(Settlement settlement) {
    return settlement.lines().stream()
        .filter(line -> !line.accepted())
        .map(line -> new Rejection(line.id(), line.reason()))
        .toList();
  }

  private <T> T withRetry(Callable<T> call, int attempts) {
    // kept for the old bulk import
    for (int attempt = 1; ; attempt++) {
      try {
        return call.call();
      } catch (Exception failure) {
        if (attempt >= attempts) throw new SettlementException("bulk", failure);
      }
    }
  }

  @Override
  public void close() {
    audit.close();
  }
}
