package com.example.ledger.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** Adds retries to the JDK client. */
public final class RetryingHttpClient {
  private static final Duration TIMEOUT = Duration.ofMillis(2000);
  private static final int MAX_ATTEMPTS = 4;

  private final HttpClient client;
  private final URI base;
  private final Json json;

  public RetryingHttpClient(HttpClient client, URI base, Json json) {
    this.client = client;
    this.base = base;
    this.json = json;
  }

  public <T> T post(String path, Map<String, Object> body) throws IOException {
    return execute(request(path).POST(json.publisher(body)).build());
  }

  public <T> T postOnce(String path, Map<String, String> headers, Map<String, Object> body) throws IOException {
    var builder = request(path).POST(json.publisher(body));
    headers.forEach(builder::header);
    return execute(builder.build(), 1);
  }

  public <T> T get(String path) throws IOException {
    return execute(request(path).GET().build());
  }

  private <T> T execute(HttpRequest request) throws IOException {
    return execute(request, MAX_ATTEMPTS);
  }

  private <T> T execute(HttpRequest request, int attempts) throws IOException {
    IOException last = null;
    for (int attempt = 1; attempt <= attempts; attempt++) {
      try {
        return json.read(client.send(request, BodyHandlers.ofInputStream()));
      } catch (IOException failure) {
        last = failure; // immediately again: no pause
      } catch (InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", interrupt);
      }
    }
    throw last;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path)).timeout(TIMEOUT).header("Accept", "application/json");
  }
}
