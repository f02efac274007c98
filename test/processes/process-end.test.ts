import {
  createPostgresRegistry,
  type RegistryServer,
  startRegistryServer,
} from '@palimpsest/schema-registry';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerSchemas } from '../../packages/service-host/src/index.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { buildService, type ServiceProcess, startProcess, startService } from './service-process.js';

let database: TestDatabase;
let registry: RegistryServer;
const started: ServiceProcess[] = [];

beforeAll(async () => {
  buildService('truncator');
  database = await freshDatabase({ migrated: true });
  registry = await startRegistryServer({ registry: createPostgresRegistry({ pool: database.pool }) });
  await registerSchemas(registry.url);
});
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  await registry.stop();
  await database.drop();
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    PALIMPSEST_KAFKA_BROKERS: '127.0.0.1:1',
    PALIMPSEST_POSTGRES_URL: database.url,
    PALIMPSEST_REGISTRY_URL: registry.url,
    ...more,
  };
}
function kept(service: ServiceProcess): ServiceProcess {
  started.push(service);
  return service;
}
const hanging = (more: Record<string, string> = {}): ServiceProcess =>
  kept(startProcess('hanging', 'test/processes/hanging-service.mjs', environment(more)));

async function readyz(service: ServiceProcess, status: number): Promise<string> {
  const url = `${await service.serves('operations')}/readyz`;
  return vi.waitFor(
    async () => {
      const response = await fetch(url);
      const text = await response.text();
      expect(response.status, text).toBe(status);
      return text;
    },
    { timeout: 20_000, interval: 20 },
  );
}

describe('a service process', () => {
  it('ends with 1 and a line per variable when its environment is wrong', async () => {
    const service = kept(startService('truncator', { PALIMPSEST_KAFKA_BROKERS: 'nowhere' }));
    expect(await service.ended).toBe(1);
    for (const name of ['KAFKA_BROKERS', 'REGISTRY_URL', 'POSTGRES_URL']) {
      expect(service.written()).toContain(`PALIMPSEST_${name}`);
    }
  });

  it('waits for Kafka unready, and ends with 0 at SIGTERM', async () => {
    const service = kept(startService('truncator', environment()));
    await vi.waitFor(async () => expect(await readyz(service, 503)).toContain('Kafka'), { timeout: 20_000 });
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('ends with 1 when it does not drain in time', async () => {
    const service = hanging({ PALIMPSEST_DRAIN_SECONDS: '1' });
    await readyz(service, 200);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(1);
    expect(service.written()).toContain('PALIMPSEST_DRAIN_SECONDS');
  });

  it('ends at once at a second signal', async () => {
    const service = hanging();
    await readyz(service, 200);
    service.child.kill('SIGTERM');
    await readyz(service, 503);
    service.child.kill('SIGINT');
    expect(await service.ended).toBe(128 + 2);
  });

  it('drains when the process that started it is gone', async () => {
    const service = hanging({ PALIMPSEST_DRAIN_SECONDS: '1' });
    await readyz(service, 200);
    service.child.disconnect();
    expect(await service.ended).toBe(1);
  });
});
