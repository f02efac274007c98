import { setTimeout as delay } from 'node:timers/promises';
import type { ChatEvent } from '@palimpsest/events';
import { TOPICS } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { type DecodedRecord, type RunningConsumer, startConsumer } from '@palimpsest/runtime';
import { float8Array, int8Array, textArray, uuidArray } from '@palimpsest/postgres';
import { parseStrategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import type pg from 'pg';
import { type BenchStore, chatEvents, chatText, fillLog, openBenchStore } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

const PARTITIONS = 6;
const CONCURRENCY = 3;
const MAX_RECORDS = 5000;

/**
 * The truncator (rows, renditions, views, checkpoint) against the floor: the same consume loop, decoding and checkpoint,
 * and one batched insert of the same records into a table with a unique index, no views.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const count = options.quick ? 6000 : 60_000;
  const repetitions = options.quick ? 1 : 5;
  const store = await openBenchStore();
  try {
    await fillLog(store, chatEvents(count, count / 100, chatText()), PARTITIONS);
    const floors: number[] = [];
    const values: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      // Interleaved, and each side first in turn, so that a noisy minute hits both.
      for (const side of repetition % 2 === 0 ? ['floor', 'value'] : ['value', 'floor']) {
        const generation = 10 + repetition;
        if (side === 'floor')
          floors.push(count / (await timed(store, count, () => floorConsumer(store, generation))));
        else values.push(count / (await timed(store, count, () => truncator(store, generation))));
      }
      process.stderr.write(
        `throughput ${repetition + 1}/${repetitions}: floor ${Math.round(floors.at(-1) ?? 0)}, truncator ${Math.round(values.at(-1) ?? 0)} events/s\n`,
      );
    }
    const floor = median(floors);
    const value = median(values);
    return {
      name: 'throughput',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'events/s',
      n: repetitions,
      machine: thisMachine(),
      details: {
        events: count,
        conversations: count / 100,
        partitions: PARTITIONS,
        floors: floors.map(Math.round),
        values: values.map(Math.round),
      },
    };
  } finally {
    await store.close();
  }
}

/** Seconds from the start of a consumer until it has handled everything. */
async function timed(
  store: BenchStore,
  count: number,
  start: () => Promise<RunningConsumer>,
): Promise<number> {
  await store.pool.query('checkpoint');
  const begin = performance.now();
  const consumer = await start();
  while ((await consumer.lag()) > 0n) await Promise.race([delay(20), consumer.done]);
  const seconds = (performance.now() - begin) / 1000;
  await consumer.stop();
  if (count === 0) throw new Error('nothing to measure');
  return seconds;
}

const logger = createLogger({ name: 'bench', level: 'warn' });

/** What a consumer under measurement reads from and writes to. */
export type Stage = Pick<BenchStore, 'pool' | 'codec'> & { log: EventLog };

export async function truncator(store: Stage, generation: number): Promise<RunningConsumer> {
  const strategy = parseStrategy('name: default\nsummary: {}\nfacts: {}\n', 'bench');
  await store.pool.query(
    `insert into palimpsest.generations (generation, strategy_name, strategy_version, strategy, status)
     values ($1, 'default', $2, $3, 'building') on conflict do nothing`,
    [generation, strategy.version, strategy.canonical],
  );
  await store.pool.query('select palimpsest.create_generation_partitions($1)', [generation]);
  return createTruncator({
    ...common(store),
    generation,
    strategy,
    concurrency: CONCURRENCY,
    maxRecords: MAX_RECORDS,
  });
}

export async function floorConsumer(store: Stage, generation: number): Promise<RunningConsumer> {
  const table = `bench_floor_${generation}`;
  await store.pool.query(
    `create table ${table} (tenant text not null, conversation_id text not null, event_id uuid not null,
       "offset" bigint not null, kind text not null, body text not null, occurred_at timestamptz not null,
       primary key (tenant, conversation_id, event_id))`,
  );
  return startConsumer({
    ...common(store),
    name: 'floor',
    generation,
    topics: [TOPICS.messages],
    concurrency: CONCURRENCY,
    maxRecords: MAX_RECORDS,
    handle: (tx, events) => insertRecords(tx, table, events),
  });
}

function common(store: Stage) {
  return {
    log: store.log,
    pool: store.pool,
    decode: (record: LogRecord) => store.codec.decode(record.value as Buffer, record.headers),
    metrics: createMetrics(),
    logger,
  };
}

/** One statement per batch over binary arrays: the fastest plain insert measured on this driver. */
async function insertRecords(
  tx: pg.PoolClient,
  table: string,
  events: readonly DecodedRecord[],
): Promise<void> {
  await tx.query({
    name: table,
    text: `insert into ${table}
           select tenant, conversation_id, event_id, "offset", kind, body, to_timestamp(at)
           from unnest($1::text[], $2::text[], $3::uuid[], $4::int8[], $5::text[], $6::text[], $7::float8[])
             as r (tenant, conversation_id, event_id, "offset", kind, body, at)
           on conflict do nothing`,
    values: [
      textArray(events.map(({ event }) => event.tenant)),
      textArray(events.map(({ event }) => event.conversation_id)),
      uuidArray(events.map(({ event }) => event.event_id)),
      int8Array(events.map(({ record }) => record.offset)),
      textArray(events.map(({ event }) => event.type)),
      textArray(events.map(({ event }) => bodyOf(event as ChatEvent))),
      float8Array(events.map(({ event }) => event.occurred_at / 1000)),
    ],
  });
}

function bodyOf(event: ChatEvent): string {
  if (event.type === 'tool_call') return event.arguments;
  return 'content' in event ? (event.content[0]?.text ?? '') : '';
}
