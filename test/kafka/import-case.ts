import { deadLetterTopic, type EventCodec, TOPICS } from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { createLogger, createMetrics } from '@palimpsest/observability';
import type { RunningConsumer } from '@palimpsest/runtime';
import { parseStrategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { expect, vi } from 'vitest';
import {
  applyTopics,
  declaredTopics,
  KAFKA_VARIABLES,
  readVariables,
} from '../../packages/service-host/src/index.js';
import { eventCodec } from '../harness/event-codec.js';
import { type Load, startLoad } from '../processes/load.js';
import { differencesToEmbedded } from './embedded-fold.js';

const PARTITIONS = 6;
const patience = { timeout: 40_000, interval: 10 };

/** An import that goes on while a truncator folds it, so that things can be broken in the middle. */
export interface ImportCase {
  log: EventLog;
  truncator: RunningConsumer;
  load: Load;
  /** Resolves when every partition was folded further than it is now, by an import that still runs. */
  everyPartitionMoves(): Promise<void>;
  /** Ends the import, waits until all of it is folded, and expects the same state as of an embedded run. */
  endsAsEmbedded(): Promise<void>;
  close(): Promise<void>;
}

/** Topics as `schemas/topics.json` declares them, on a cluster with room for `copies`. */
export async function startImport(
  brokers: readonly string[],
  pool: pg.Pool,
  copies: number,
  seed: number,
): Promise<ImportCase> {
  const settings = readVariables({ PALIMPSEST_KAFKA_BROKERS: brokers.join(',') }, KAFKA_VARIABLES);
  expect((await applyTopics(settings, declaredTopics(copies))).left).toEqual([]);
  const { codec } = await eventCodec(pool);
  const log = await createKafkaLog({ brokers, clientId: 'import', sessionTimeoutMs: 6000 });
  const truncator = await startTruncator(log, pool, codec);
  const load = startLoad(log, codec, seed);
  const running = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([
      work,
      truncator.done.then(() => Promise.reject(new Error('The truncator ended too early.'))),
      load.done.then(() => Promise.reject(new Error('The import ended too early.'))),
    ]);
  return {
    log,
    truncator,
    load,
    everyPartitionMoves: () => running(everyPartitionMoves(pool)),
    async endsAsEmbedded() {
      await load.finish();
      await vi.waitFor(async () => expect(await truncator.lag()).toBe(0n), patience);
      await truncator.stop();
      // A failed append that was repeated may lie twice in the log; nothing else may, and nothing may be missing.
      const { events, records, repeated } = load;
      const held = await heldIn(log, TOPICS.messages);
      expect(held).toBeGreaterThanOrEqual(records.length);
      if (repeated === 0) expect(held).toBe(records.length);
      expect(await heldIn(log, deadLetterTopic(TOPICS.messages))).toBe(0);
      const { rows } = await pool.query<{ id: string }>(
        `select conversation_id || ' ' || event_id as id from palimpsest.messages where generation = 1`,
      );
      const ids = new Set(events.map((event) => `${event.conversation_id} ${event.event_id}`));
      expect(rows).toHaveLength(ids.size);
      expect(new Set(rows.map(({ id }) => id))).toEqual(ids);
      expect(await differencesToEmbedded(pool, records, codec, PARTITIONS)).toEqual([]);
    },
    async close() {
      await load.finish().catch(() => undefined);
      await truncator.stop();
      await log.close();
    },
  };
}

/** A truncator of the live generation, which is made where there is none. */
export async function startTruncator(
  log: EventLog,
  pool: pg.Pool,
  codec: EventCodec,
): Promise<RunningConsumer> {
  const strategy = parseStrategy('name: default\nsummary: {}\nfacts: {}\n', 'import');
  const { settings, version, canonical } = strategy;
  const { generation } = await ensureLiveGeneration(pool, { name: settings.name, version, canonical });
  return createTruncator({
    log,
    pool,
    decode: (record) => codec.decode(record.value as Buffer, record.headers),
    generation,
    strategy,
    metrics: createMetrics(),
    logger: createLogger({ name: 'import', level: 'silent' }),
    // Small batches: a fault falls between many transactions.
    maxRecords: 20,
  });
}

async function everyPartitionMoves(pool: pg.Pool): Promise<void> {
  const before = await checkpoints(pool);
  await vi.waitFor(async () => {
    const after = await checkpoints(pool);
    expect(after.size).toBe(PARTITIONS);
    for (const [partition, next] of after) expect(next).toBeGreaterThan(before.get(partition) ?? 0n);
  }, patience);
}

async function checkpoints(pool: pg.Pool): Promise<Map<number, bigint>> {
  const { rows } = await pool.query<{ partition: number; next_offset: string }>(
    `select partition, next_offset from palimpsest.checkpoints where consumer = 'truncator'`,
  );
  return new Map(rows.map((row) => [row.partition, BigInt(row.next_offset)]));
}

async function heldIn(log: EventLog, topic: string): Promise<number> {
  const bounds = await log.bounds(topic);
  return Number(bounds.reduce((sum, { low, high }) => sum + high - low, 0n));
}
