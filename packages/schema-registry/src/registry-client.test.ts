import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../test/harness/postgres.js';
import { registerRegistryContract } from './contract.js';
import { createPostgresRegistry } from './postgres-registry.js';
import { createRegistryClient } from './registry-client.js';
import { startRegistryServer } from './registry-server.js';

registerRegistryContract('the client over HTTP', async () => {
  const db = await freshDatabase();
  const server = await startRegistryServer({ registry: createPostgresRegistry({ pool: db.pool }) });
  return {
    registry: createRegistryClient({ url: `${server.url}/` }),
    async cleanup() {
      await server.stop();
      await db.drop();
    },
  };
});

describe('the client', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([500, 503, 429])('may try again after %i, and remembers no failure', async (status) => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.statusCode = asked === 1 ? status : 200;
      response.end('{"schema":"\\"int\\""}');
    });
    const registry = createRegistryClient({ url });
    await expect(registry.schemaById(1)).rejects.toMatchObject({
      name: 'RegistryUnavailable',
      retryable: true,
    });
    expect(await registry.schemaById(1)).toBe('"int"');
    await Promise.all([registry.schemaById(1), registry.schemaById(1)]);
    expect(asked).toBe(2);
  });

  it('asks once for one thing, however many wait for it', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.end('{"id":5}');
    });
    const registry = createRegistryClient({ url });
    const ids = await Promise.all([1, 2, 3].map(() => registry.idOf('s', '"int"')));
    expect([ids, asked]).toEqual([[5, 5, 5], 1]);
  });

  it('may try again where nobody listens, nobody answers in time, or something else answers', async () => {
    const silent = await serve(() => {});
    const page = await serve((_request, response) => response.end('<html>'));
    for (const url of ['http://127.0.0.1:1', silent, page]) {
      const registry = createRegistryClient({ url, timeoutMs: 100 });
      await expect(registry.latest('s')).rejects.toMatchObject({ retryable: true });
    }
  });

  it('does not try again what is refused, and keeps the code', async () => {
    const url = await serve((_request, response) => {
      response.statusCode = 401;
      response.end('no');
    });
    await expect(createRegistryClient({ url }).latest('s')).rejects.toMatchObject({
      errorCode: 401,
      retryable: false,
    });
  });

  it('sends name and password of the URL as a header and never in an error', async () => {
    let header: string | undefined;
    const url = await serve((request, response) => {
      header = request.headers.authorization;
      response.statusCode = 503;
      response.end();
    });
    const registry = createRegistryClient({ url: url.replace('//', '//reader:s%40cret@') });
    const error = await registry.latest('s').catch((failure: Error) => failure);
    expect(header).toBe(`Basic ${Buffer.from('reader:s@cret').toString('base64')}`);
    expect(String(error)).not.toMatch(/cret/);
  });

  it('sets the level before the first registration of a subject, when told to', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end('{"id":1}');
    });
    const registry = createRegistryClient({ url, compatibility: 'FULL_TRANSITIVE' });
    await registry.register('s', '"int"');
    await registry.register('s', '"int"');
    expect(asked).toEqual(['PUT /config/s', 'POST /subjects/s/versions', 'POST /subjects/s/versions']);
  });
});
