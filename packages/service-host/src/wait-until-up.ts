import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@palimpsest/observability';

export interface WaitOptions {
  /** What is asked, for the log. */
  what: string;
  /** Whether a failure says that it cannot answer now; any other one is thrown. */
  isAway(error: unknown): boolean;
  logger: Logger;
  /** Ends the wait with AbortError. */
  signal: AbortSignal;
  minMs?: number;
  maxMs?: number;
}

/** Does `work` as soon as what it needs is up, however long that takes. */
export async function waitUntilUp<T>(options: WaitOptions, work: () => Promise<T>): Promise<T> {
  const { what, isAway, logger, signal, minMs = 250, maxMs = 5000 } = options;
  for (let pause = minMs; ; pause = Math.min(2 * pause, maxMs)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isAway(error)) throw error;
      logger.warn({ err: error, what, again_in_ms: pause }, `waits for ${what}`);
      await delay(pause, undefined, { signal });
    }
  }
}
