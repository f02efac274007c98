import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChatEvent, keyOf, TOPICS } from '@palimpsest/events';
import pg from 'pg';
import { chatEvents, chatText } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, percentile, rounded, thisMachine } from './result.js';
import { truncator } from './throughput.js';
import { type KafkaStage, openKafkaStage, PARTITIONS } from './throughput-kafka-stage.js';

const RATE = 500;
const CONVERSATIONS = 100;
const TICK_MS = 2;
/** Not counted: connections, statements and the compiler are new. */
const WARM_UP_SECONDS = 3;

type Side = 'floor' | 'value';

/** A side under load: where to see what is visible by now, and how to stop. */
interface Running {
  /** Per partition the offset up to which all is visible. */
  visible: string;
  stop(): Promise<void>;
}

/**
 * From the moment when an event is due to be appended until a reader of Postgres sees it in its context, at 500 events/s:
 * the truncator against produce, consume and one inserted row per event. Both are watched by the same poll.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const seconds = options.quick ? 3 : 20;
  const repetitions = options.quick ? 1 : 5;
  const stage = await openKafkaStage();
  try {
    await stage.log.createTopic(TOPICS.messages, PARTITIONS);
    const waits: Record<Side, number[][]> = { floor: [], value: [] };
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const side of repetition % 2 === 0
        ? (['floor', 'value'] as const)
        : (['value', 'floor'] as const)) {
        const found = await waitsOf(side, stage, seconds, repetition);
        waits[side].push(found);
        const [p50, p99] = [0.5, 0.99].map((share) => rounded(percentile(found, share)));
        process.stderr.write(
          `latency ${repetition + 1}/${repetitions}: ${side} p50 ${p50} ms, p99 ${p99} ms\n`,
        );
      }
    }
    const of = (side: Side, share: number): number =>
      rounded(median(waits[side].map((found) => percentile(found, share))));
    return {
      name: 'latency',
      floor: of('floor', 0.99),
      value: of('value', 0.99),
      ratio: rounded(of('value', 0.99) / of('floor', 0.99)),
      unit: 'ms (p99)',
      n: repetitions,
      machine: thisMachine(),
      details: {
        rate: RATE,
        seconds,
        p50: of('value', 0.5),
        p99: of('value', 0.99),
        floor_p50: of('floor', 0.5),
        floor_p99: of('floor', 0.99),
        values_p99: waits.value.map((found) => rounded(percentile(found, 0.99))),
        floors_p99: waits.floor.map((found) => rounded(percentile(found, 0.99))),
      },
    };
  } finally {
    await stage.close();
  }
}

/** Milliseconds that each event waited. */
async function waitsOf(
  side: Side,
  stage: KafkaStage,
  seconds: number,
  repetition: number,
): Promise<number[]> {
  const running = await (side === 'value' ? startValue : startFloor)(stage, repetition);
  const watch = await startWatch(stage, running.visible);
  try {
    const due = await load(stage, seconds + WARM_UP_SECONDS);
    await watch.until(due);
    return due.slice(WARM_UP_SECONDS * RATE).map((one) => watch.seenAt(one) - one.at);
  } finally {
    await watch.stop();
    await running.stop();
  }
}

interface Due {
  at: number;
  partition: number;
  offset: bigint;
}

/** Appends on a schedule that does not wait for answers: what comes late was late for its reader too. */
async function load({ log, store }: KafkaStage, seconds: number): Promise<Due[]> {
  // The truncator knows events and conversations of earlier runs again.
  const prefix = randomUUID();
  const events = chatEvents(RATE * seconds, CONVERSATIONS, chatText()) as ChatEvent[];
  const records = events.map((event) => {
    const conversation_id = `${prefix} ${event.conversation_id}`;
    const own = { ...event, event_id: randomUUID(), conversation_id };
    return { key: keyOf(own), value: store.codec.encode(own) };
  });
  const begun = performance.now();
  const due: Promise<Due>[] = [];
  while (due.length < records.length) {
    const now = performance.now();
    for (let at = dueAt(begun, due.length); at <= now && due.length < records.length; ) {
      const scheduled = at;
      const appending = log.append(TOPICS.messages, records.slice(due.length, due.length + 1));
      due.push(appending.then(([place]) => ({ at: scheduled, ...(place as Omit<Due, 'at'>) })));
      at = dueAt(begun, due.length);
    }
    await delay(TICK_MS);
  }
  return Promise.all(due);
}

const dueAt = (begun: number, index: number): number => begun + (index * 1000) / RATE;

async function startValue({ store, log }: KafkaStage, repetition: number): Promise<Running> {
  const generation = 10 + repetition;
  const consumer = await truncator({ pool: store.pool, codec: store.codec, log }, generation);
  while ((await consumer.lag()) > 0n) await delay(20);
  return {
    visible: `select partition, next_offset as "offset" from palimpsest.checkpoints
              where generation = ${generation} and consumer = 'truncator'`,
    stop: () => consumer.stop(),
  };
}

/** No batch, no decoding, no view, no checkpoint: what any consumer that stores must do. */
async function startFloor({ store, log }: KafkaStage, repetition: number): Promise<Running> {
  const table = `bench_latency_${repetition}`;
  await store.pool.query(
    `create table ${table} (partition integer, "offset" bigint, key text, body bytea, primary key (partition, "offset"))`,
  );
  const ends = new Map((await log.bounds(TOPICS.messages)).map(({ partition, high }) => [partition, high]));
  const insert = { name: table, text: `insert into ${table} values ($1, $2, $3, $4)` };
  const subscription = await log.subscribe({
    group: table,
    topics: [TOPICS.messages],
    startAt: async (_topic, partition) => ends.get(partition) ?? null,
    async handler({ partition, records }) {
      for (const { offset, key, value } of records) {
        await store.pool.query({ ...insert, values: [partition, offset, key, value] });
      }
    },
    onFatal: (error) => process.stderr.write(`The floor ended: ${String(error)}\n`),
  });
  return {
    visible: `select p as partition, coalesce((select max("offset") + 1 from ${table} where partition = p), 0) as "offset"
              from generate_series(0, ${PARTITIONS - 1}) as p`,
    stop: () => subscription.stop(),
  };
}

interface Watch {
  /** Resolves when all of them were seen. */
  until(due: readonly Due[]): Promise<void>;
  seenAt(one: Due): number;
  stop(): Promise<void>;
}

/** Looks again and again, on a connection of its own, and remembers when it saw what. */
async function startWatch({ store }: KafkaStage, sql: string): Promise<Watch> {
  const client = new pg.Client(store.pool.options.connectionString);
  await client.connect();
  const seen = new Map<number, { at: number; offset: bigint }[]>();
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const { rows } = await client.query<{ partition: number; offset: string }>({
        name: 'watch',
        text: sql,
      });
      const at = performance.now();
      for (const { partition, offset } of rows) note(seen, partition, at, BigInt(offset));
      await delay(1);
    }
  })();
  const firstWith = ({ partition, offset }: Due) => seen.get(partition)?.find((one) => one.offset > offset);
  return {
    async until(due) {
      const last = new Map<number, Due>();
      for (const one of due) {
        if (one.offset >= (last.get(one.partition)?.offset ?? 0n)) last.set(one.partition, one);
      }
      while ([...last.values()].some((one) => firstWith(one) === undefined)) await delay(5);
    },
    seenAt: (one) => firstWith(one)?.at ?? Number.NaN,
    async stop() {
      stopped = true;
      await watching;
      await client.end();
    },
  };
}

function note(
  seen: Map<number, { at: number; offset: bigint }[]>,
  partition: number,
  at: number,
  offset: bigint,
): void {
  const known = seen.get(partition);
  if (known === undefined) seen.set(partition, [{ at, offset }]);
  else if ((known.at(-1)?.offset ?? 0n) < offset) known.push({ at, offset });
}
