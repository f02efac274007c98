import { deadLetterTopic, type EventCodec, TOPICS } from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import {
  createPostgresRegistry,
  type RegistryServer,
  startRegistryServer,
} from '@palimpsest/schema-registry';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  applyTopics,
  declaredTopics,
  KAFKA_VARIABLES,
  measureLags,
  readVariables,
  registerSchemas,
} from '../../packages/service-host/src/index.js';
import { eventCodec } from '../harness/event-codec.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { describeWithKafka } from '../kafka/broker.js';
import { differencesToEmbedded } from '../kafka/embedded-fold.js';
import { startTemporaryCluster, type TemporaryCluster } from '../kafka/temporary-cluster.js';
import { startLoad } from './load.js';
import { buildService, type ServiceProcess, startService } from './service-process.js';

const PARTITIONS = 6;
const SESSION_MS = 3000;
const seed = Number(process.env['PROCESSES_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const TRUNCATOR = { name: 'truncator', generation: 1, topics: [TOPICS.messages] };

describeWithKafka('truncators that share six partitions', () => {
  let cluster: TemporaryCluster;
  let database: TestDatabase;
  let registry: RegistryServer;
  let codec: EventCodec;
  let log: EventLog;
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    buildService('truncator');
    [cluster, database] = await Promise.all([startTemporaryCluster(), freshDatabase({ migrated: true })]);
    registry = await startRegistryServer({ registry: createPostgresRegistry({ pool: database.pool }) });
    await registerSchemas(registry.url);
    const kafka = readVariables({ PALIMPSEST_KAFKA_BROKERS: cluster.bootstrap.join(',') }, KAFKA_VARIABLES);
    expect((await applyTopics(kafka, declaredTopics(1))).left).toEqual([]);
    ({ codec } = await eventCodec(database.pool));
    log = await createKafkaLog({ brokers: cluster.bootstrap, clientId: 'load' });
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await log?.close();
    await registry?.stop();
    await cluster?.remove();
    await database?.drop();
  });

  function start(name: string): ServiceProcess {
    const url = new URL(database.url);
    url.searchParams.set('application_name', name);
    const truncator = startService('truncator', {
      PALIMPSEST_KAFKA_BROKERS: cluster.bootstrap.join(','),
      PALIMPSEST_KAFKA_SESSION_MS: String(SESSION_MS),
      PALIMPSEST_POSTGRES_URL: url.href,
      // Longer than this test: the transaction of the stopped one must live, so that its write can be refused.
      PALIMPSEST_POSTGRES_IDLE_IN_TRANSACTION_MS: '300000',
      PALIMPSEST_REGISTRY_URL: registry.url,
      PALIMPSEST_BATCH_RECORDS: '20',
      PALIMPSEST_LOG_LEVEL: 'warn',
    });
    started.push(truncator);
    return truncator;
  }

  it(`fold as one embedded run does, killed, stopped, resumed and joined (PROCESSES_SEED=${seed})`, async () => {
    process.stderr.write(`truncator-processes: PROCESSES_SEED=${seed}\n`);
    const load = startLoad(log, codec, seed);
    const alive = <T>(work: Promise<T>): Promise<T> =>
      Promise.race([work, load.done.then(() => Promise.reject(new Error('The load ended too early.')))]);
    const first = start('first');
    const second = start('second');
    await alive(works(first));
    await alive(works(second));

    await stopInTransaction(database, first, 'first');
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const heir = start('heir');
    await alive(works(heir));
    await alive(everyPartitionMoves(database));

    await stopInTransaction(database, second, 'second');
    await alive(everyPartitionMoves(database));
    second.child.kill('SIGCONT');
    const refused = () => second.metric('stale_owner_writes_total');
    await eventually(async () => expect(await refused()).toBeGreaterThan(0));

    const third = start('third');
    await alive(works(third));
    await alive(everyPartitionMoves(database));
    await load.finish();
    await eventually(async () => expect(await lag()).toBe(0n));
    for (const { child } of [second, heir, third]) child.kill('SIGTERM');
    const codes = await Promise.all([second, heir, third].map(({ ended }) => ended));
    expect(codes, [second, heir, third].map((one) => one.written().slice(-2000)).join('\n')).toEqual([
      0, 0, 0,
    ]);

    // Nothing missing, nothing doubled, in the log and in the views.
    const { records, events } = load;
    process.stderr.write(`truncator-processes: ${events.length} events\n`);
    expect(await heldIn(log, TOPICS.messages)).toBe(records.length);
    expect(await heldIn(log, deadLetterTopic(TOPICS.messages))).toBe(0);
    const { rows } = await database.pool.query<{ id: string }>(
      `select conversation_id || ' ' || event_id as id from palimpsest.messages where generation = 1`,
    );
    const ids = new Set(events.map((event) => `${event.conversation_id} ${event.event_id}`));
    expect(rows).toHaveLength(ids.size);
    expect(new Set(rows.map(({ id }) => id))).toEqual(ids);

    expect(await differencesToEmbedded(database.pool, records, codec, PARTITIONS)).toEqual([]);
  }, 180_000);

  async function lag(): Promise<bigint> {
    const lags = await measureLags(database.pool, log, [TRUNCATOR]);
    return lags.reduce((sum, one) => sum + one.lag, 0n);
  }
});

/** It has partitions and has handled records of them. */
async function works(truncator: ServiceProcess): Promise<void> {
  await eventually(async () => expect(await truncator.metric('consumer_records_total')).toBeGreaterThan(0));
}

/**
 * Stops a process while one of its transactions has begun, and none has written: who takes its partitions over waits
 * for no lock, and its own write comes too late.
 */
async function stopInTransaction(
  { pool }: TestDatabase,
  { child }: ServiceProcess,
  application: string,
): Promise<void> {
  const hasOnlyRead = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ state: string; wrote: boolean }>(
      `select state, backend_xid is not null as wrote from pg_stat_activity
       where application_name = $1 and state != 'idle'`,
      [application],
    );
    return rows.length > 0 && rows.every(({ state, wrote }) => state === 'idle in transaction' && !wrote);
  };
  for (;;) {
    child.kill('SIGSTOP');
    if (await hasOnlyRead()) {
      // A statement that was sent before the stop may arrive after the first look.
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (await hasOnlyRead()) return;
    }
    child.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

/** Every partition has an owner that works: all checkpoints are ahead of where they are now. */
async function everyPartitionMoves({ pool }: TestDatabase): Promise<void> {
  const offsets = async (): Promise<Map<number, bigint>> => {
    const { rows } = await pool.query<{ partition: number; next_offset: string }>(
      `select partition, next_offset from palimpsest.checkpoints where consumer = 'truncator'`,
    );
    return new Map(rows.map((row) => [row.partition, BigInt(row.next_offset)]));
  };
  const before = await offsets();
  await eventually(async () => {
    const after = await offsets();
    const still = [...after].filter(([partition, next]) => next <= (before.get(partition) ?? 0n));
    expect(still).toEqual([]);
    expect(after.size).toBe(PARTITIONS);
  });
}

async function heldIn(log: EventLog, topic: string): Promise<number> {
  const bounds = await log.bounds(topic);
  return Number(bounds.reduce((sum, { low, high }) => sum + high - low, 0n));
}

function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 25 });
}
