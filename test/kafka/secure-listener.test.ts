import type { EventLog, LogRecord } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import {
  applyTopics,
  checkTopics,
  declaredTopics,
  KAFKA_VARIABLES,
  type KafkaSettings,
  readVariables,
} from '../../packages/service-host/src/index.js';
import { kafkaConnection } from '../../packages/service-host/src/settings/kafka-connection.js';
import { describeWithKafka } from './broker.js';
import { startTemporaryCluster, type TemporaryCluster } from './temporary-cluster.js';

const USER = 'palimpsest';
const PASSWORD = 'not the usual one';
const patience = { timeout: 30_000, interval: 10 };

describeWithKafka('a broker that asks for TLS and SASL', () => {
  let cluster: TemporaryCluster;
  const logs: EventLog[] = [];

  beforeAll(async () => {
    cluster = await startTemporaryCluster({ secure: { users: { [USER]: PASSWORD } } });
  });
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
  });
  afterAll(async () => {
    await cluster?.remove();
  });

  /** As an operator would set them. */
  function settings(more: Record<string, string>): KafkaSettings {
    const given = {
      PALIMPSEST_KAFKA_BROKERS: secure().bootstrap.join(','),
      PALIMPSEST_KAFKA_TLS: 'on',
      PALIMPSEST_KAFKA_CA_FILE: secure().caFile,
      PALIMPSEST_KAFKA_USER: USER,
      PALIMPSEST_KAFKA_PASSWORD: PASSWORD,
      ...more,
    };
    return readVariables(given, KAFKA_VARIABLES);
  }

  function secure(): { bootstrap: string[]; caFile: string } {
    if (cluster.secure === undefined) throw new Error('The cluster has no secure listener.');
    return cluster.secure;
  }

  async function open(given: KafkaSettings): Promise<EventLog> {
    const log = await createKafkaLog(kafkaConnection('secure', given));
    logs.push(log);
    return log;
  }

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'takes topics, appends, reads, groups and bounds by %s',
    async (mechanism) => {
      const given = settings({ PALIMPSEST_KAFKA_SASL: mechanism });
      expect((await applyTopics(given, declaredTopics(1))).left).toEqual([]);
      expect(await checkTopics(given, declaredTopics(1))).toEqual([]);
      const log = await open(given);
      const topic = `secure-${mechanism}`;
      await log.createTopic(topic, 2);
      const [place] = await log.append(topic, [{ key: 'k', value: Buffer.from(mechanism) }]);
      expect(await log.topicId(topic)).toMatch(/^[0-9a-f]{32}$/);
      const seen: LogRecord[] = [];
      const subscription = await log.subscribe({
        group: topic,
        topics: [topic],
        startAt: async () => null,
        handler: async ({ records }) => void seen.push(...records),
        onFatal: (error) => expect(error).toBeUndefined(),
      });
      await vi.waitFor(() => expect(seen.map(({ value }) => `${value}`)).toEqual([mechanism]), patience);
      await subscription.commit(topic, place?.partition ?? 0, 1n);
      await subscription.stop();
      await log.truncate(topic, place?.partition ?? 0, 1n);
      await vi.waitFor(async () => {
        const bounds = await log.bounds(topic);
        expect(bounds[place?.partition ?? 0]).toMatchObject({ low: 1n, high: 1n });
      }, patience);
    },
    60_000,
  );

  it.each(['plain', 'scram-sha-512'])(
    'is told at once by %s that the password is wrong',
    async (mechanism) => {
      const given = settings({ PALIMPSEST_KAFKA_SASL: mechanism, PALIMPSEST_KAFKA_PASSWORD: 'wrong' });
      const start = performance.now();
      await expect(open(given)).rejects.toThrow(/cannot be used \(.*SASL.*check .* TLS and SASL settings/);
      expect(performance.now() - start).toBeLessThan(10_000);
    },
  );

  it('never shows the password in what it says', async () => {
    const wrong = 'secret-that-nobody-should-read';
    const given = settings({ PALIMPSEST_KAFKA_SASL: 'scram-sha-512', PALIMPSEST_KAFKA_PASSWORD: wrong });
    const said: string[] = [];
    const connection = kafkaConnection('secure', given);
    const opening = createKafkaLog({
      ...connection,
      onClientLog: (_level, message, details) => said.push(message, JSON.stringify(details)),
    });
    const error = await opening.then(String, (reason: Error) => `${reason.stack} ${String(reason.cause)}`);
    expect(`${error} ${said.join(' ')}`).not.toContain(wrong);
    expect(error).toContain('cannot be used');
  });

  it('is not taken for another one: a certificate nobody vouches for is refused', async () => {
    const connection = kafkaConnection('secure', settings({ PALIMPSEST_KAFKA_SASL: 'plain' }));
    const start = performance.now();
    // The authorities of the system in place of the broker's own.
    const opening = createKafkaLog({ ...connection, ssl: true });
    await expect(opening).rejects.toThrow(/cannot be used \(DEPTH_ZERO_SELF_SIGNED_CERT/);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
