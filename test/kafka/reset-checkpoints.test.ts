import { type ChatEvent, type EventCodec, keyOf, TOPICS } from '@palimpsest/events';
import type { EventLog, NewRecord } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  applyTopics,
  declaredTopics,
  KAFKA_VARIABLES,
  readVariables,
} from '../../packages/service-host/src/index.js';
import { buildCommandLine, finishCommand } from '../harness/command-line.js';
import { eventCodec } from '../harness/event-codec.js';
import { History } from '../harness/histories.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { describeWithKafka } from './broker.js';
import { differencesToEmbedded } from './embedded-fold.js';
import { startTruncator } from './import-case.js';
import { startTemporaryCluster, type TemporaryCluster } from './temporary-cluster.js';

const TOPIC = TOPICS.messages;
const PARTITIONS = 6;
const patience = { timeout: 30_000, interval: 20 };

describeWithKafka('the way out for checkpoints that cannot be read from', () => {
  let cluster: TemporaryCluster;
  let database: TestDatabase;
  let log: EventLog;
  let codec: EventCodec;

  beforeAll(async () => {
    buildCommandLine();
    [cluster, database] = await Promise.all([startTemporaryCluster(), freshDatabase({ migrated: true })]);
    vi.stubEnv('PALIMPSEST_POSTGRES_URL', database.url);
    vi.stubEnv('PALIMPSEST_KAFKA_BROKERS', cluster.bootstrap.join(','));
    ({ codec } = await eventCodec(database.pool));
    log = await createKafkaLog({ brokers: cluster.bootstrap, clientId: 'reset' });
    await makeTopics();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await log?.close();
    await cluster?.remove();
    await database?.drop();
  });

  async function makeTopics(): Promise<void> {
    const settings = readVariables(
      { PALIMPSEST_KAFKA_BROKERS: cluster.bootstrap.join(',') },
      KAFKA_VARIABLES,
    );
    expect((await applyTopics(settings, declaredTopics(1))).left).toEqual([]);
  }

  async function deleteTopic(): Promise<void> {
    const kafka = new Kafka({ brokers: cluster.bootstrap, clientId: 'deletes', logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [TOPIC] });
    await admin.disconnect();
  }

  /** Appends conversations of that many messages each, one per name. */
  async function append(conversations: readonly string[], messages: number): Promise<NewRecord[]> {
    const records = conversations.flatMap((name) => conversation(name, messages)).map(encoded);
    await vi.waitFor(() => log.append(TOPIC, records), patience);
    return records;
  }

  const encoded = (event: ChatEvent): NewRecord => ({
    key: keyOf(event),
    value: codec.encode(event),
    headers: { 'event-id': event.event_id },
  });

  async function foldAll(): Promise<void> {
    const truncator = await startTruncator(log, database.pool, codec);
    await vi.waitFor(async () => expect(await truncator.lag()).toBe(0n), patience);
    await truncator.stop();
  }

  it('lets consumers begin at the first record kept when retention has passed them', async () => {
    await append(names('kept'), 2);
    await foldAll();
    await append(names('lost'), 2);
    for (const { partition, high } of await log.bounds(TOPIC)) await log.truncate(TOPIC, partition, high);
    const truncator = await startTruncator(log, database.pool, codec);
    await expect(truncator.done).rejects.toThrow(/retention has passed.*"palimpsest checkpoints reset"/);
    await expect(finishCommand(['checkpoints', 'list'])).rejects.toThrow(/checkpoints cannot be read from/);

    const said = await finishCommand(['checkpoints', 'reset', '--topic', TOPIC]);
    expect(said).toMatch(/truncator \(generation 1\) chat.messages\[\d\] was below retention/);
    expect(await finishCommand(['checkpoints', 'list'])).not.toContain('below retention');
    await append(names('later'), 2);
    await foldAll();
    const { rows } = await database.pool.query<{ conversation_id: string }>(
      'select conversation_id from palimpsest.context_views where generation = 1 order by 1',
    );
    const found = rows.map((row) => row.conversation_id);
    expect(found).toEqual([...names('kept'), ...names('later')].toSorted());
    expect(await finishCommand(['checkpoints', 'reset', '--topic', TOPIC])).toContain('nothing was changed');
  }, 60_000);

  it('lets them make their views anew when the topic was deleted and made again, longer than before', async () => {
    await append(names('old'), 2);
    await foldAll();
    await deleteTopic();
    await vi.waitFor(makeTopics, patience);
    const records = await append(names('old'), 12);

    const truncator = await startTruncator(log, database.pool, codec);
    await expect(truncator.done).rejects.toThrow(/deleted and made anew.*"palimpsest checkpoints reset"/);
    await expect(finishCommand(['checkpoints', 'reset', '--topic', TOPIC])).rejects.toThrow(/--forget-views/);
    await finishCommand(['checkpoints', 'reset', '--topic', TOPIC, '--forget-views']);
    await foldAll();
    expect(await differencesToEmbedded(database.pool, records, codec, PARTITIONS)).toEqual([]);
  }, 60_000);
});

function names(word: string): string[] {
  return Array.from({ length: 12 }, (_, i) => `${word} ${i}`);
}

function conversation(name: string, messages: number): ChatEvent[] {
  const history = new History(name);
  for (let at = 0; at < messages; at++)
    history.message(at % 2 === 0 ? 'user' : 'assistant', `${name}: ${at}`);
  return history.events;
}
