import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Metrics, renderMetrics } from '@palimpsest/observability';

export interface OperationsOptions {
  host: string;
  port: number;
  metrics: Metrics;
  /** What keeps the process from its work, a line each; none = ready. */
  missing(): Promise<readonly string[]>;
}

export interface OperationsServer {
  url: string;
  close(): Promise<void>;
}

/** `GET /healthz` (the process lives), `/readyz` (200, or 503 with what is missing) and `/metrics`, for operators only. */
export async function startOperationsServer(options: OperationsOptions): Promise<OperationsServer> {
  const { host, port, metrics, missing } = options;
  const routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/healthz': async (response) => sendJson(response, 200, { status: 'alive' }),
    '/readyz': async (response) => {
      const waits = await missing();
      if (waits.length === 0) sendJson(response, 200, { status: 'ready' });
      else sendJson(response, 503, { status: 'not ready', waits_for: waits });
    },
    '/metrics': async (response) => {
      const text = await renderMetrics(metrics);
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
    },
  };
  const server = createServer((request, response) => {
    const route = routes[new URL(request.url ?? '/', 'http://operations').pathname];
    if (route === undefined) return sendJson(response, 404, { known: Object.keys(routes) });
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, {});
    route(response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const where = `PALIMPSEST_OPERATIONS_HOST and PALIMPSEST_OPERATIONS_PORT (${host}:${port})`;
      reject(new Error(`${where} cannot be listened on: choose others, 0 = any free port.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
