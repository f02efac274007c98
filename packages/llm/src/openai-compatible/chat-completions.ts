import type { Usage } from '@palimpsest/events';
import { ModelCallError } from '../model-errors.js';
import { storableText } from '../storable-text.js';
import { readUsage } from './read-usage.js';

export interface EndpointSettings {
  /** Up to and with the version: `https://host/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; never logged, never part of an error. */
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

export interface Completion {
  text: string;
  stopReason: string;
  model: string;
  usage: Usage | null;
}

/** Statuses after which the same request may succeed: timeouts, conflicts, limits, and the server's own faults. */
const TRANSIENT = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/**
 * One chat completion, retried within bounds on network faults and transient statuses. Throws ModelCallError with the
 * last status; a signal that aborts ends it at once.
 */
export async function complete(
  endpoint: EndpointSettings,
  body: Record<string, unknown>,
  signal: AbortSignal,
  retryStatus: (status: number, text: string) => boolean = () => true,
): Promise<Completion> {
  const attempts = endpoint.attempts ?? 3;
  const longest = endpoint.maxBackoffMs ?? 20_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(endpoint, body, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelCallError) || !error.retryable || attempt >= attempts) throw error;
      if (error.status !== null && !retryStatus(error.status, error.message)) throw error;
      const pause = error.retryAfterMs ?? (endpoint.backoffMs ?? 500) * 2 ** (attempt - 1);
      if (pause > longest) throw error;
      await wait(pause, signal);
    }
  }
}

async function request(
  endpoint: EndpointSettings,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Completion> {
  const timeoutMs = endpoint.timeoutMs ?? 120_000;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (endpoint.apiKey !== undefined) headers['authorization'] = `Bearer ${endpoint.apiKey}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${endpoint.baseUrl.replace(/\/+$/u, '')}/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
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
  return readCompletion(text);
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
        {
          retryable: false,
          status: response.status,
        },
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
    retryAfterMs: retryAfter(response.headers),
  });
}

/** Retry-After in seconds or as a date, or the `retry-after-ms` some gateways send. */
function retryAfter(headers: Headers): number | null {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

interface ChatCompletionBody {
  model?: unknown;
  usage?: unknown;
  choices?: { finish_reason?: unknown; message?: { content?: unknown } | null }[];
}

function readCompletion(text: string): Completion {
  let body: ChatCompletionBody;
  try {
    body = JSON.parse(text) as ChatCompletionBody;
  } catch (cause) {
    const found = `The model endpoint answered 200 with what is not JSON: ${text.slice(0, 100)}`;
    throw new ModelCallError(`${found}. Is the base URL that of an OpenAI-compatible API?`, {
      retryable: true,
      status: 200,
      cause,
    });
  }
  const choice = Array.isArray(body?.choices) ? body.choices[0] : undefined;
  if (choice === undefined || choice === null) {
    throw new ModelCallError(`The model endpoint answered 200 without choices: ${text.slice(0, 200)}`, {
      retryable: true,
      status: 200,
    });
  }
  return {
    text: contentText(choice.message?.content),
    stopReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : 'unknown',
    model: typeof body.model === 'string' ? body.model : '',
    usage: readUsage(body.usage),
  };
}

/** Content is text; some servers send parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return storableText(content);
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : ''));
  return storableText(texts.join(''));
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
