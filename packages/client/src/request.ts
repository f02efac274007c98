import { PalimpsestError } from './palimpsest-error.js';

export interface RequestOptions {
  url: string;
  key: string;
  fetch: typeof fetch;
  /** Tries in all, the first included. */
  attempts: number;
  timeoutMs: number;
  /** Pause in ms; tests replace it. */
  pause(ms: number): Promise<void>;
}

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** Worth another try: over the rate, or the server's or a proxy's passing trouble. 501 will not pass. */
const PASSING = new Set([429, 500, 502, 503, 504]);

/**
 * One request, tried again a bounded number of times where no answer came or one that may pass. Every request here may
 * be repeated: reads change nothing, events are told apart by their ids. Waits as long as `Retry-After` says, else
 * twice as long each time. Throws PalimpsestError of the last try.
 */
export async function request(options: RequestOptions, asked: Request): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    let failure: PalimpsestError;
    let retryAfterMs: number | null = null;
    try {
      const response = await options.fetch(new URL(asked.path, options.url), {
        method: asked.method,
        headers: {
          authorization: `Bearer ${options.key}`,
          ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(asked.body === undefined ? {} : { body: asked.body }),
        signal: AbortSignal.timeout(options.timeoutMs),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as unknown;
      failure = failureOf(asked, response.status, text);
      retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
      if (!PASSING.has(response.status)) throw failure;
    } catch (cause) {
      if (cause instanceof PalimpsestError) throw cause;
      failure = new PalimpsestError(
        `${asked.method} ${asked.path}: no answer from ${options.url}: ${(cause as Error).message}. Is it running?`,
        0,
        null,
        { cause },
      );
    }
    if (attempt >= options.attempts) throw failure;
    const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
    await options.pause(Math.min(retryAfterMs ?? doubled, LONGEST_PAUSE_MS));
  }
}

function failureOf(asked: Request, status: number, text: string): PalimpsestError {
  let problem: Record<string, unknown> | null = null;
  try {
    const parsed = JSON.parse(text) as unknown;
    if (typeof parsed === 'object' && parsed !== null) problem = parsed as Record<string, unknown>;
  } catch {
    // A proxy's page: the status says enough.
  }
  const detail = typeof problem?.['detail'] === 'string' ? problem['detail'] : 'no details';
  return new PalimpsestError(
    `${asked.method} ${asked.path} was answered with ${status}: ${detail}`,
    status,
    problem,
  );
}

function readRetryAfter(header: string | null): number | null {
  const seconds = Number(header ?? '');
  return header !== null && header !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
