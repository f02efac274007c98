import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger } from '@palimpsest/observability';
import { createPostgresRegistry, startRegistryServer } from '@palimpsest/schema-registry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { hostService, type ServiceParts, type StartedService } from './host-service.js';
import { openPool } from './open-postgres.js';
import { registerSchemas } from './register-schemas.js';
import { readVariables } from './settings/read-variables.js';
import { SERVICE_VARIABLES } from './settings/variables.js';

let database: TestDatabase;
let registryUrl: string;
let stopRegistry: () => Promise<void>;
let startRegistry: () => Promise<void>;

beforeEach(async () => {
  database = await freshDatabase();
  const registry = createPostgresRegistry({ pool: database.pool });
  let server = await startRegistryServer({ registry });
  registryUrl = server.url;
  stopRegistry = () => server.stop();
  startRegistry = async () => {
    server = await startRegistryServer({ registry, port: Number(new URL(registryUrl).port) });
  };
});
afterEach(async () => {
  await stopRegistry();
  await database.drop();
});

interface Hosted {
  ended: Promise<void>;
  stop(): void;
  ready(): Promise<{ status: number; text: string }>;
}

function host(
  start: (parts: ServiceParts) => Promise<StartedService>,
  environment: Record<string, string> = {},
): Hosted {
  const settings = readVariables(
    {
      PALIMPSEST_KAFKA_BROKERS: 'unused:9092',
      PALIMPSEST_REGISTRY_URL: registryUrl,
      PALIMPSEST_POSTGRES_URL: database.url,
      PALIMPSEST_OPERATIONS_PORT: '0',
      ...environment,
    },
    SERVICE_VARIABLES,
  );
  const stopping = new AbortController();
  let url: string | undefined;
  const ended = hostService({
    name: 'hosted',
    variables: {},
    settings,
    signal: stopping.signal,
    logger: createLogger({ name: 'hosted', level: 'silent' }),
    serves: (_, at) => void (url = at),
    openLog: () => createEmbeddedLog({ pool: database.pool, listen: database.url }),
    start,
  });
  ended.catch(() => undefined);
  return {
    ended,
    stop: () => stopping.abort(),
    async ready() {
      if (url === undefined) throw new Error('Nothing is served yet.');
      const response = await fetch(`${url}/readyz`);
      return { status: response.status, text: await response.text() };
    },
  };
}

const idle = (): StartedService => ({ stop: async () => undefined, done: new Promise(() => undefined) });
const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 10 });

describe('a hosted service', () => {
  it('gets its parts, is ready when it has started, and is closed in reverse', async () => {
    await registerSchemas(registryUrl);
    const closed: string[] = [];
    let begin: (() => void) | undefined;
    const service = host(async ({ generation, strategy, onStop }) => {
      expect(generation).toBe(1);
      expect(strategy.settings.name).toBe('default');
      onStop(async () => closed.push('part'));
      await new Promise<void>((resolve) => (begin = resolve));
      return { ...idle(), stop: async () => void closed.push('service') };
    });
    await soon(() => expect(begin).toBeDefined());
    expect(await service.ready()).toMatchObject({ status: 503, text: expect.stringContaining('starts') });
    begin?.();
    await soon(async () => expect((await service.ready()).status).toBe(200));
    service.stop();
    await service.ended;
    expect(closed).toEqual(['service', 'part']);
  });

  it('is not ready while a consumer waits or a checkpoint is not loaded', async () => {
    await registerSchemas(registryUrl);
    let parts: ServiceParts | undefined;
    const service = host(async (given) => {
      parts = given;
      return idle();
    });
    await soon(async () => expect((await service.ready()).status).toBe(200));
    parts?.metrics.consumer_ready.set({ consumer: 'truncator' }, 0);
    expect(await service.ready()).toMatchObject({ status: 503, text: expect.stringContaining('truncator') });
    parts?.metrics.consumer_ready.set({ consumer: 'truncator' }, 1);
    await parts?.log.createTopic('t', 1);
    const subscription = await parts?.log.subscribe({
      group: 'g',
      topics: ['t'],
      startAt: () => Promise.reject(new Error('Postgres is away.')),
      handler: async () => undefined,
      onFatal: () => undefined,
    });
    await soon(async () => expect((await service.ready()).text).toContain('the checkpoint of g t[0]'));
    await subscription?.stop();
    service.stop();
    await service.ended;
  });

  it('names the command where schemas are not registered, and registers none', async () => {
    await expect(host(async () => idle()).ended).rejects.toThrow('run "palimpsest schemas register"');
    expect((await fetch(`${registryUrl}/subjects`).then((answer) => answer.json())) as string[]).toEqual([]);
  });

  it('waits while the registry is down, and goes on when it is back', async () => {
    await registerSchemas(registryUrl);
    await stopRegistry();
    let started = false;
    const service = host(async () => {
      started = true;
      return idle();
    });
    await soon(async () => expect((await service.ready()).text).toContain('the schema registry'));
    expect(started).toBe(false);
    await startRegistry();
    await soon(async () => expect((await service.ready()).status).toBe(200));
    service.stop();
    await service.ended;
  });

  it('waits while Postgres is away, and ends at once when it is told to', async () => {
    const service = host(async () => idle(), { PALIMPSEST_POSTGRES_URL: 'postgres://u:p@127.0.0.1:1/none' });
    await soon(async () => expect((await service.ready()).text).toContain('Postgres'));
    service.stop();
    await service.ended;
  });

  it('refuses a schema that a newer build has migrated', async () => {
    await registerSchemas(registryUrl);
    const service = host(async () => idle());
    await soon(async () => expect((await service.ready()).status).toBe(200));
    service.stop();
    await service.ended;
    await database.pool.query(`insert into palimpsest.migrations (version, name) values (9999, 'newer')`);
    await expect(host(async () => idle()).ended).rejects.toThrow('newer build');
  });

  it('ends with the reason when its work cannot go on, and closes everything', async () => {
    await registerSchemas(registryUrl);
    let closed = false;
    const service = host(async () => ({
      stop: async () => void (closed = true),
      done: Promise.reject(new Error('Offset 7 is gone.')),
    }));
    await expect(service.ended).rejects.toThrow('Offset 7 is gone.');
    expect(closed).toBe(true);
  });
});

it('a transaction that stands idle is ended by Postgres, so that nobody waits for its locks', async () => {
  const pool = openPool({ application: 'test', url: database.url, connections: 1, idleInTransactionMs: 50 });
  const client = await pool.connect();
  const ended = new Promise<Error>((resolve) => client.on('error', resolve));
  await client.query('begin');
  expect(await ended).toMatchObject({ code: '25P03' });
  client.release(true);
  await pool.end();
});
