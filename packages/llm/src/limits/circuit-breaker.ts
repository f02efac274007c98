import { ModelCallError } from '../model-errors.js';

/**
 * Keeps calls away from an endpoint that fails.
 *
 * | state     | calls                          | leaves it when                                            |
 * | --------- | ------------------------------ | --------------------------------------------------------- |
 * | closed    | pass                           | `failures` calls in a row failed → open                   |
 * | open      | are held (ModelCallError.held) | the cooldown is over → half open                          |
 * | half open | one passes, others are held    | it succeeds → closed; it fails → open, twice the cooldown |
 */
export interface CircuitBreaker {
  /** Throws while the circuit is open. */
  run<T>(call: () => Promise<T>): Promise<T>;
  readonly state: 'closed' | 'open' | 'half_open';
}

export interface CircuitOptions {
  /** Failed calls in a row, each with its own retries. Default 5. */
  failures?: number;
  /** First cooldown in milliseconds; doubles up to ten times as much. Default 30 s. */
  cooldownMs?: number;
  now?(): number;
}

/** Only what says that the endpoint is down counts: no answer, a limit, a fault of the server. Not a bad request. */
export function createCircuitBreaker(options: CircuitOptions = {}): CircuitBreaker {
  const { failures = 5, cooldownMs = 30_000, now = Date.now } = options;
  let failed = 0;
  let openUntil: number | null = null;
  let cooldown = cooldownMs;
  let probing = false;

  function assertClosed(): void {
    if (openUntil === null) return;
    const left = openUntil - now();
    if (left <= 0 && !probing) {
      probing = true;
      return;
    }
    const wait = Math.max(left, 1000);
    throw new ModelCallError(
      `The model endpoint failed ${failed} times in a row and is left alone for ${Math.ceil(wait / 1000)} s. See the errors before.`,
      { retryable: true, held: true, retryAfterMs: wait },
    );
  }

  return {
    get state() {
      if (openUntil === null) return 'closed';
      return probing ? 'half_open' : 'open';
    },
    async run(call) {
      assertClosed();
      const isProbe = probing;
      try {
        const result = await call();
        failed = 0;
        openUntil = null;
        cooldown = cooldownMs;
        return result;
      } catch (error) {
        if (error instanceof ModelCallError && error.retryable && !error.held) {
          failed += 1;
          if (failed >= failures || isProbe) {
            openUntil = now() + Math.max(cooldown, error.retryAfterMs ?? 0);
            cooldown = Math.min(cooldown * 2, cooldownMs * 10);
          }
        } else if (!isAborted(error)) {
          // It answered, if only to say no.
          failed = 0;
          openUntil = null;
        }
        throw error;
      } finally {
        if (isProbe) probing = false;
      }
    },
  };
}

function isAborted(error: unknown): boolean {
  return !(error instanceof Error) || !/^(?:ModelCallError|UnusableAnswerError)$/u.test(error.name);
}
