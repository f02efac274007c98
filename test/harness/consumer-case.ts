import { randomUUID } from 'node:crypto';
import type { MessageEvent, PalimpsestEvent } from '../../packages/events/src/index.js';
import type { EventLog, LogRecord } from '../../packages/log/src/index.js';
import { createEmbeddedLog, type EmbeddedLog } from '../../packages/log-embedded/src/index.js';
import { createLogger, createMetrics, type Metrics } from '../../packages/observability/src/index.js';
import {
  type ConsumerOptions,
  type RunningConsumer,
  startConsumer,
} from '../../packages/runtime/src/index.js';
import { freshDatabase, type TestDatabase } from './postgres.js';

/** A migrated database, a log in it, one topic and a table that a consumer's handler can write. */
export interface ConsumerCase {
  database: TestDatabase;
  log: EmbeddedLog;
  topic: string;
  metrics: Metrics;
  /** Appends one event per text, all under one key unless keys are given. */
  append(texts: readonly string[], keys?: readonly string[]): Promise<void>;
  /** Starts a consumer that writes each event's text to `effects`; stopped by `close`. */
  start(options?: Partial<ConsumerOptions>): Promise<RunningConsumer>;
  /** What took effect, by offset within partitions. */
  effects(): Promise<string[]>;
  /** Everything in the dead-letter topic. */
  deadLetters(): Promise<LogRecord[]>;
  close(): Promise<void>;
}

export const RETRY = { minMs: 1, maxMs: 20, attempts: 3 };

export async function consumerCase(partitions = 1): Promise<ConsumerCase> {
  const database = await freshDatabase({ migrated: true });
  await database.pool.query(
    'create table effects (topic text, partition integer, "offset" bigint, body text, primary key (partition, "offset"))',
  );
  const log = await createEmbeddedLog({ pool: database.pool, listen: database.url });
  const topic = `topic-${randomUUID()}`;
  await log.createTopic(topic, partitions);
  const metrics = createMetrics();
  const running: RunningConsumer[] = [];
  return {
    database,
    log,
    topic,
    metrics,
    async append(texts, keys = []) {
      await log.append(
        topic,
        texts.map((text, i) => ({ key: keys[i] ?? 'acme/c1', value: Buffer.from(text) })),
      );
    },
    async start(options = {}) {
      const consumer = await startConsumer({
        name: 'tester',
        generation: 1,
        topics: [topic],
        log,
        pool: database.pool,
        metrics,
        retry: RETRY,
        logger: createLogger({ name: 'tester', level: 'silent' }),
        decode: decodeText,
        handle: writeEffects,
        ...options,
      });
      running.push(consumer);
      return consumer;
    },
    async effects() {
      const found = await database.pool.query<{ body: string }>(
        'select body from effects order by partition, "offset"',
      );
      return found.rows.map((row) => row.body);
    },
    deadLetters: () => everything(log, `${topic}.dead-letters`),
    async close() {
      await Promise.all(running.map((consumer) => consumer.stop()));
      await log.close();
      await database.drop();
    },
  };
}

/** A message event with the record's value as its text; `garbage` is not decodable. */
export function decodeText(record: LogRecord): PalimpsestEvent {
  const text = record.value?.toString('utf8') ?? '';
  if (text.startsWith('garbage')) throw new SyntaxError('unknown schema id 0x67617262');
  const event: MessageEvent = {
    type: 'message',
    event_id: randomUUID(),
    tenant: 'acme',
    conversation_id: 'c1',
    role: 'user',
    seq: null,
    occurred_at: 0,
    client_id: null,
    task_id: null,
    agent: null,
    content: [{ kind: 'text', text, mime: null, data: null, url: null, signature: null }],
  };
  return event;
}

export const writeEffects: ConsumerOptions['handle'] = async (tx, events) => {
  for (const { record } of events) {
    await tx.query('insert into effects values ($1, $2, $3, $4)', [
      record.topic,
      record.partition,
      record.offset,
      record.value?.toString('utf8'),
    ]);
  }
};

async function everything(log: EventLog, topic: string): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for (const { partition, low } of await log.bounds(topic)) {
    found.push(...(await log.read(topic, partition, low, 10_000)));
  }
  return found;
}

/** Offset that the consumer of the case wants next in partition 0. */
export async function checkpointOf(at: ConsumerCase): Promise<bigint | undefined> {
  const { rows } = await at.database.pool.query<{ next_offset: string }>(
    'select next_offset from palimpsest.checkpoints where partition = 0',
  );
  return rows[0] === undefined ? undefined : BigInt(rows[0].next_offset);
}

/** The texts '0', '1', … */
export function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${i}`);
}
