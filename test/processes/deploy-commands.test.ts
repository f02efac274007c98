import { TOPICS } from '@palimpsest/events';
import { createPostgresRegistry, startRegistryServer } from '@palimpsest/schema-registry';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerSchemasCommand } from '../../packages/cli/src/commands/schemas.js';
import { applyTopicsCommand, checkTopicsCommand } from '../../packages/cli/src/commands/topics.js';
import type { Output } from '../../packages/cli/src/output.js';
import { freshDatabase } from '../harness/postgres.js';
import { describeWithKafka } from '../kafka/broker.js';
import { startTemporaryCluster, type TemporaryCluster } from '../kafka/temporary-cluster.js';

/** Keeps the JSON value and the lines. */
function recorder(): Output & { lines: string[]; values: unknown[] } {
  const lines: string[] = [];
  const values: unknown[] = [];
  return {
    json: true,
    lines,
    values,
    line: (text) => void lines.push(text),
    value: (value) => void values.push(value),
    progress: () => undefined,
  };
}

describeWithKafka('palimpsest topics', () => {
  let cluster: TemporaryCluster;
  let environment: Record<string, string>;
  beforeAll(async () => {
    cluster = await startTemporaryCluster();
    environment = { PALIMPSEST_KAFKA_BROKERS: cluster.bootstrap.join(',') };
  });
  afterAll(() => cluster?.remove());
  const apply = async (replication?: number) => {
    const output = recorder();
    const options = replication === undefined ? {} : { replication };
    await applyTopicsCommand(options, environment, output);
    return output.values[0] as { created: string[]; changed: string[]; left: unknown[] };
  };
  const check = () => checkTopicsCommand({ replication: 1 }, environment, recorder());

  it('creates what is declared, finds it as declared, mends settings and keeps those of others', async () => {
    await expect(check()).rejects.toThrow(/8 of 8 topics are not as .*\n {2}chat.messages does not exist/);
    await expect(apply()).rejects.toThrow('name fewer copies with --replication 1');
    await expect(check()).rejects.toThrow('8 of 8');

    expect((await apply(1)).created).toHaveLength(8);
    await check();
    expect(await apply(1)).toEqual({ created: [], changed: [], left: [] });

    const settings = { 'retention.ms': '1000', 'segment.ms': '7200000' };
    await alter(cluster, TOPICS.messages, settings);
    // The broker hears of it from the controller a moment later.
    const says = 'retention.ms is 1000, declared is -1';
    await vi.waitFor(() => expect(check()).rejects.toThrow(says), { timeout: 10_000, interval: 50 });
    expect((await apply(1)).changed).toEqual([TOPICS.messages]);
    await check();
    expect(await settingOf(cluster, TOPICS.messages, 'segment.ms')).toBe('7200000');
  });
});

describe('palimpsest schemas register', () => {
  it('registers once, for ever compatible, and says what is in the way', async () => {
    const database = await freshDatabase();
    const server = await startRegistryServer({ registry: createPostgresRegistry({ pool: database.pool }) });
    const environment = { PALIMPSEST_REGISTRY_URL: server.url };
    try {
      const first = recorder();
      await registerSchemasCommand(environment, first);
      const again = recorder();
      await registerSchemasCommand(environment, again);
      expect(again.values).toEqual(first.values);
      const subject = 'chat.messages-palimpsest.Message';
      expect(first.values[0]).toContainEqual({ subject, id: expect.any(Number) });
      const config = await fetch(`${server.url}/config/${subject}`).then((answer) => answer.json());
      expect(config).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
    } finally {
      await server.stop();
      await database.drop();
    }
    await expect(registerSchemasCommand(environment, recorder())).rejects.toThrow('got no answer');
    await expect(registerSchemasCommand({}, recorder())).rejects.toThrow(
      'PALIMPSEST_REGISTRY_URL is not set',
    );
  });
});

/** Of the protocol: a topic. */
const TOPIC = 2;

async function alter(
  { bootstrap }: TemporaryCluster,
  name: string,
  settings: Record<string, string>,
): Promise<void> {
  const configEntries = Object.entries(settings).map(([key, value]) => ({ name: key, value }));
  await withAdmin(bootstrap, (admin) =>
    admin.alterConfigs({ validateOnly: false, resources: [{ type: TOPIC, name, configEntries }] }),
  );
}

async function settingOf(
  { bootstrap }: TemporaryCluster,
  name: string,
  setting: string,
): Promise<string | undefined> {
  const { resources } = await withAdmin(bootstrap, (admin) =>
    admin.describeConfigs({ includeSynonyms: false, resources: [{ type: TOPIC, name }] }),
  );
  return resources[0]?.configEntries.find(({ configName }) => configName === setting)?.configValue;
}

async function withAdmin<T>(
  brokers: string[],
  work: (admin: ReturnType<Kafka['admin']>) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
