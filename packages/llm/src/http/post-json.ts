import { ModelCallError } from '../model-errors.js';
import { retryAfterMs } from './retry-after.js';

/** How an endpoint is reached and how long it is waited for. */
export interface EndpointSettings {
  /** Up to and with the version: `https://host/v1`. */
  baseUrl: string;
  /** Sent as the provider wants it; never logged, never part of an error. */
  apiKey?: string;
  /** One HTTP request, until its body is read. Default 120 s. */
  timeoutMs?: number;
  /** Requests per call at most. Default 3. */
  attempts?: number;
  /** First pause between requests; doubles. Default 500 ms. */
  backoffMs?: number;
  /** Longest pause, whatever Retry-After says: beyond it the call fails and the job's own retry waits. Default 20 s. */
  maxBackoffMs?: number;
  /** Answers longer than this many bytes are not read. Default 4 MB. */
  maxAnswerBytes?: number;
}

export interface PostRequest<T> {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Reads the answer's JSON. A retryable ModelCallError it throws counts as a fault of the server. */
  read(answer: unknown): T;
  /** Whether a transient status may be tried again; false where it says that something is not served here. */
  mayRetry?(status: number, text: string): boolean;
}

/** Statuses after which the same request may succeed: timeouts, conflicts, limits, and the server's own faults. */
const TRANSIENT = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/**
 * Posts JSON and gives what `read` makes of the answer's JSON, retried within bounds on network faults, transient statuses and bodies that
 * are not JSON. Throws ModelCallError with the last status; a signal that aborts ends it at once.
 */
export async function postJson<T>(
  endpoint: EndpointSettings,
  request: PostRequest<T>,
  signal: AbortSignal,
): Promise<T> {
  const attempts = endpoint.attempts ?? 3;
  const longest = endpoint.maxBackoffMs ?? 20_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return request.read(await post(endpoint, request, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelCallError) || !error.retryable || attempt >= attempts) throw error;
      if (error.status !== null && request.mayRetry?.(error.status, error.message) === false) throw error;
      const pause = error.retryAfterMs ?? (endpoint.backoffMs ?? 500) * 2 ** (attempt - 1);
      if (pause > longest) throw error;
      await wait(pause, signal);
    }
  }
}

async function post(
  endpoint: EndpointSettings,
  request: PostRequest<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const timeoutMs = endpoint.timeoutMs ?? 120_000;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${endpoint.baseUrl.replace(/\/+$/u, '')}${request.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
      signal: AbortSignal.any([signal, timeout]),
      redirect: 'error',
    });
    text = await readBounded(response, endpoint.maxAnswerBytes ?? 4_000_000);
  } catch (error) {
    if (error instanceof ModelCallError) throw error;
    const why = timeout.aborted ? `gave no answer within ${timeoutMs} ms` : 'could not be reached';
    const remedy = 'Check the base URL and that the server runs; for slow models raise the timeout.';
    throw new ModelCallError(`The model endpoint ${why}. ${remedy}`, { retryable: true, cause: error });
  }
  if (!response.ok) throw statusError(response, text);
  return parsed(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const found = `The model endpoint answered 200 with what is not JSON: ${text.slice(0, 100)}`;
    throw new ModelCallError(`${found}. Is the base URL that of the provider's API?`, {
      retryable: true,
      status: 200,
      cause,
    });
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new ModelCallError(
        `The model's answer is longer than ${maxBytes} bytes; it was not read to the end.`,
        { retryable: false, status: response.status },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function statusError(response: Response, text: string): ModelCallError {
  const said = text.slice(0, 300).replace(/\s+/gu, ' ');
  return new ModelCallError(`The model endpoint answered ${response.status}: ${said}`, {
    retryable: TRANSIENT.has(response.status),
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers),
  });
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
