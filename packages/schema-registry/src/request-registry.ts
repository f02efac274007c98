import { RegistryError, RegistryUnavailable } from './registry-error.js';

export const REGISTRY_MIME = 'application/vnd.schemaregistry.v1+json';

export interface RequestOptions {
  url: string;
  timeoutMs?: number;
}

/** Asks one path. What answers no is a RegistryError with its code, what cannot answer now a RegistryUnavailable. */
export function requestRegistry({ url, timeoutMs = 5000 }: RequestOptions) {
  const base = new URL(url);
  const headers: Record<string, string> = { accept: `${REGISTRY_MIME}, application/json` };
  if (base.username !== '') {
    const login = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
    headers.authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    base.username = '';
    base.password = '';
  }
  const bodyHeaders = { ...headers, 'content-type': REGISTRY_MIME };
  const root = base.href.replace(/\/+$/, '');

  return async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown> => {
    const asked = `${method} ${path} of the registry at ${base.host}`;
    let status: number;
    let text: string;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const sent = body === undefined ? { headers } : { headers: bodyHeaders, body: JSON.stringify(body) };
      const response = await fetch(root + path, { ...sent, method, signal });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      throw new RegistryUnavailable(`${asked} got no answer: is it up and reachable?`, { cause });
    }
    if (status >= 500 || status === 429 || status === 408) {
      throw new RegistryUnavailable(`${asked} answered ${status}: ${text.slice(0, 200)}`);
    }
    return readAnswer(asked, status, text);
  };
}

function readAnswer(asked: string, status: number, text: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    if (status >= 400) throw new RegistryError(status, `${asked} answered ${status}: ${text.slice(0, 200)}`);
    throw new RegistryUnavailable(`${asked} answered no JSON: does something else answer there?`, { cause });
  }
  if (status < 400) return answer;
  const { error_code: code, message } = (answer ?? {}) as { error_code?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message : text.slice(0, 200);
  throw new RegistryError(typeof code === 'number' ? code : status, `${asked} answered ${status}: ${said}`, {
    messages: status === 409 ? [said] : [],
  });
}
