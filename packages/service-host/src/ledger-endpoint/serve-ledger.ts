import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ledger } from '@palimpsest/ledger';

/** A query of the API is 64 kB at most. */
const MAX_BODY_BYTES = 256 * 1024;
const MIN_TOKEN_CHARACTERS = 16;

export interface LedgerEndpoint {
  url: string;
  close(): Promise<void>;
}

/**
 * Answers queries of one tenant each over an embedded ledger, which only one process may hold: `POST /query` with
 * `{query, tenant}`, read-only under the ledger's own limits and wall. Loopback only, and only to who shows the token.
 * Issue 7 replaces it by the read-only ClickHouse HTTP endpoint.
 */
export async function serveLedger(options: {
  ledger: Pick<Ledger, 'query'>;
  token: string;
  port: number;
}): Promise<LedgerEndpoint> {
  const { ledger, token, port } = options;
  if (token.length < MIN_TOKEN_CHARACTERS) {
    throw new Error(
      `PALIMPSEST_LEDGER_TOKEN is shorter than ${MIN_TOKEN_CHARACTERS} characters: choose a longer one.`,
    );
  }
  const server = createServer((request, response) => {
    answer(request, ledger, token).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `PALIMPSEST_LEDGER_PORT (${port}) cannot be listened on: choose another, 0 = any free one.`;
      reject(new Error(message, { cause }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

interface Answer {
  status: number;
  body: string;
}

async function answer(
  request: IncomingMessage,
  ledger: Pick<Ledger, 'query'>,
  token: string,
): Promise<Answer> {
  const shown = request.headers.authorization ?? '';
  if (!isSame(shown, `Bearer ${token}`)) return refuse(401, 'The token is missing or wrong.');
  if (request.method !== 'POST' || request.url !== '/query')
    return refuse(404, 'Only POST /query is served.');
  const asked = await readQuestion(request);
  if (asked === null) return refuse(400, 'The body must be {"query": text, "tenant": text}.');
  try {
    const { query, tenant } = asked;
    return { status: 200, body: await ledger.query(query, { readonly: true, tenant, format: 'JSON' }) };
  } catch (error) {
    return refuse(422, (error as Error).message);
  }
}

function refuse(status: number, detail: string): Answer {
  return { status, body: JSON.stringify({ detail }) };
}

/** In time that does not depend on where the two differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(given: string): Buffer {
  return createHash('sha256').update(given).digest();
}

async function readQuestion(request: IncomingMessage): Promise<{ query: string; tenant: string } | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  try {
    const { query, tenant } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    return typeof query === 'string' && typeof tenant === 'string' && tenant !== ''
      ? { query, tenant }
      : null;
  } catch {
    return null;
  }
}
