package com.example.ledger;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;

/** Calls again with full jitter until an attempt succeeds, the attempts are used up, or the deadline is near. */
final class Retry {
  private final int attempts;
  private final Duration base;
  private final Duration deadline;

  Retry(int attempts, Duration base, Duration deadline) {
    this.attempts = attempts;
    this.base = base;
    this.deadline = deadline;
  }

  <T> T call(Callable<T> call) {
    return attempt(call, 1, System.nanoTime()).join();
  }

  private <T> CompletableFuture<T> attempt(Callable<T> call, int number, long started) {
    return completed(call).exceptionallyCompose(failure -> again(call, number, started, failure));
  }

  private <T> CompletableFuture<T> again(Callable<T> call, int number, long started, Throwable failure) {
    long ceiling = base.toMillis() << number;
    long delay = ThreadLocalRandom.current().nextLong(ceiling + 1);
    long spent = Duration.ofNanos(System.nanoTime() - started).toMillis();
    if (number >= attempts || spent + delay > deadline.toMillis()) return CompletableFuture.failedFuture(failure);
    CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(delay, MILLISECONDS, Executors2.shared())).join();
    return attempt(call, number + 1, started);
  }

  private static <T> CompletableFuture<T> completed(Callable<T> call) {
    try {
      return CompletableFuture.completedFuture(call.call());
    } catch (Exception failure) {
      return CompletableFuture.failedFuture(new CompletionException(failure));
    }
  }
}
