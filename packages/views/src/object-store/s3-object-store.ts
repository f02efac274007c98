import { setTimeout as pause } from 'node:timers/promises';
import { assertKey, isKey, type ObjectStore } from './object-store.js';
import { canonicalQuery, type Credentials, signRequest } from './sign-request.js';

export interface S3Options extends Credentials {
  bucket: string;
  /** Before every key, without slashes at its ends; may be empty. */
  prefix: string;
  region: string;
  /** Of a server other than AWS; the bucket is then the first part of the path. */
  endpoint?: string | undefined;
  fetch?: typeof fetch;
  /** Pause in ms before another try. */
  pause?: (ms: number) => Promise<unknown>;
  now?: () => Date;
}

const TRIES = 4;
const FIRST_PAUSE_MS = 100;
const TIMEOUT_MS = 15_000;
/** What is worth another try; anything else is ours to mend. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** Objects in a bucket of S3 or of a server that speaks its protocol (MinIO, Ceph, R2): four requests, no SDK. */
export function createS3ObjectStore(options: S3Options): ObjectStore {
  const base = options.endpoint
    ? new URL(`${options.endpoint.replace(/\/$/, '')}/${options.bucket}/`)
    : new URL(`https://${options.bucket}.s3.${options.region}.amazonaws.com/`);
  const place = `bucket ${options.bucket} at ${options.endpoint ?? 'AWS'}`;
  const fullKey = (key: string) => (options.prefix === '' ? key : `${options.prefix}/${key}`);
  const urlOf = (key: string): URL => {
    assertKey(key);
    return new URL(fullKey(key), base);
  };

  async function send(method: string, url: URL, body: Uint8Array = new Uint8Array()): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      let failure: Error;
      try {
        const headers = signRequest(
          { method, url, body, region: options.region },
          options,
          (options.now ?? (() => new Date()))(),
        );
        const response = await (options.fetch ?? fetch)(url, {
          method,
          headers,
          ...(method === 'PUT' ? { body } : {}),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        if (response.ok || response.status === 404) return response;
        failure = await refusal(method, url, response);
        if (!PASSING.has(response.status)) throw failure;
      } catch (cause) {
        if (cause instanceof RefusedError && !cause.passing) throw cause;
        failure =
          cause instanceof RefusedError
            ? cause
            : new Error(`${method} ${url.pathname}: no answer from ${place}. Is it reachable?`, { cause });
      }
      if (attempt >= TRIES) throw failure;
      await (options.pause ?? pause)(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }

  async function refusal(method: string, url: URL, response: Response): Promise<RefusedError> {
    const text = await response.text().catch(() => '');
    const code = valueOf(text, 'Code') ?? `status ${response.status}`;
    const remedy =
      response.status === 403
        ? ' Check the key, its secret and what it may do in the bucket.'
        : response.status === 301
          ? ' Check the region.'
          : '';
    return new RefusedError(
      `${method} ${url.pathname} was refused by ${place}: ${code}.${remedy}`,
      PASSING.has(response.status),
    );
  }

  return {
    place,
    async put(key, bytes) {
      const response = await send('PUT', urlOf(key), bytes);
      if (response.status === 404) throw new Error(`There is no ${place}: make it, or name another.`);
      await response.arrayBuffer();
    },
    async get(key) {
      const response = await send('GET', urlOf(key));
      const bytes = new Uint8Array(await response.arrayBuffer());
      return response.status === 404 ? null : bytes;
    },
    async remove(key) {
      const response = await send('DELETE', urlOf(key));
      await response.arrayBuffer();
    },
    async *list() {
      let token: string | undefined;
      do {
        const url = new URL(base);
        url.searchParams.set('list-type', '2');
        if (options.prefix !== '') url.searchParams.set('prefix', `${options.prefix}/`);
        if (token !== undefined) url.searchParams.set('continuation-token', token);
        url.search = canonicalQuery(url.searchParams);
        const response = await send('GET', url);
        const text = await response.text();
        if (response.status === 404) throw new Error(`There is no ${place}: make it, or name another.`);
        yield* readListing(text, options.prefix);
        token = valueOf(text, 'NextContinuationToken');
      } while (token !== undefined);
    },
  };
}

class RefusedError extends Error {
  constructor(
    message: string,
    readonly passing: boolean,
  ) {
    super(message);
  }
}

/** Keys in the answer to ListObjectsV2; what else lies in the bucket is not ours to touch. */
function* readListing(xml: string, prefix: string): Generator<string> {
  for (const [, full = ''] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
    const key = prefix === '' ? full : full.slice(prefix.length + 1);
    if (isKey(key)) yield key;
  }
}

function valueOf(xml: string, name: string): string | undefined {
  const from = xml.indexOf(`<${name}>`);
  const to = xml.indexOf(`</${name}>`, from);
  if (from < 0 || to < 0) return undefined;
  return xml
    .slice(from + name.length + 2, to)
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
