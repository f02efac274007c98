import type { RetryOptions } from './consumer.js';

/** Pause before try `attempt` + 1, in milliseconds: doubled each time, capped, without jitter. */
export function backoffMs(retry: RetryOptions, attempt: number): number {
  return Math.min(retry.minMs * 2 ** Math.min(attempt - 1, 30), retry.maxMs);
}

/** Thrown inside the loop when the consumer stops while it waits; nothing is lost, the checkpoint has not moved. */
export class AbortedError extends Error {
  override name = 'AbortedError';
}

/** Resolves after `ms`; rejects with AbortedError at once when the signal is or gets aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer);
      reject(new AbortedError('The consumer stops.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  });
}
