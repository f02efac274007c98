import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PostgresRegistry } from './postgres-registry.js';
import { RegistryError, RegistryUnavailable } from './registry-error.js';
import { answerRoute } from './registry-routes.js';
import { REGISTRY_MIME } from './request-registry.js';

export interface RegistryServer {
  url: string;
  /** Lets open answers finish. */
  stop(): Promise<void>;
}

/** Far above any schema; a body beyond it is refused unread. */
const BODY_LIMIT = 4 * 1024 * 1024;

/**
 * Serves Confluent's REST paths (Avro, without references and deletion) over a registry. It knows no keys: it binds to
 * the loopback interface unless told otherwise. Port 0 takes a free one.
 */
export async function startRegistryServer(options: {
  registry: PostgresRegistry;
  port?: number;
  host?: string;
}): Promise<RegistryServer> {
  const host = options.host ?? '127.0.0.1';
  const server = createServer((request, response) => {
    answer(options.registry, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The schema registry could not listen on ${host}:${options.port ?? 0}: ${cause.message}`;
      reject(new Error(message, { cause }));
    });
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function answer(
  registry: PostgresRegistry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await readBody(request);
    const found = await answerRoute(registry, {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      body,
    });
    send(response, 200, found);
  } catch (error) {
    const failure = toAnswer(error);
    send(response, failure.status, { error_code: failure.code, message: failure.message });
  }
}

function toAnswer(error: unknown): { status: number; code: number; message: string } {
  if (error instanceof RegistryError) {
    return { status: error.status, code: error.errorCode, message: error.message };
  }
  // 503: clients try again. Confluent's code for a store that does not answer
  const code = error instanceof RegistryUnavailable ? 50302 : 50001;
  const message = error instanceof RegistryUnavailable ? error.message : 'Error in the registry';
  return { status: Number(String(code).slice(0, 3)), code, message };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': REGISTRY_MIME });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new RegistryError(422, `The body is over ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  if (size === 0) return {};
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw new RegistryError(422, 'The body is not JSON', { cause });
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new RegistryError(422, 'The body must be a JSON object');
  }
  return body as Record<string, unknown>;
}
