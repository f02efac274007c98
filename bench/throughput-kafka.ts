import { setTimeout as delay } from 'node:timers/promises';
import type { ChatEvent } from '@palimpsest/events';
import { chatEvents, chatText } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';
import { floorConsumer, type Stage, truncator } from './throughput.js';
import { fillFlatTopic, startSink } from './throughput-kafka-connect.js';
import { fillTopic, type KafkaStage, openKafkaStage, PARTITIONS } from './throughput-kafka-stage.js';

const SIDES = ['floor', 'value', 'connect', 'tuned'] as const;
type Side = (typeof SIDES)[number];

/** Share of the records that is in before the clock starts: start, join and warm-up are nobody's rate. */
const WARM_UP = 0.2;
const POLL_MS = 20;
const FIRST_WITHIN_MS = 90_000;

/**
 * The truncator on Kafka against its floor (the same consume loop, decoding and checkpoint, and one batched insert of
 * the same records, no views), and beside Kafka Connect with Debezium's JDBC sink, which keeps no views either.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const count = options.quick ? 6000 : 60_000;
  const repetitions = options.quick ? 1 : 5;
  const events = chatEvents(count, count / 100, chatText()) as ChatEvent[];
  const stage = await openKafkaStage();
  try {
    await fillTopic(stage, events);
    await fillFlatTopic(stage, events);
    const cpu: Record<'floor' | 'value', number[]> = { floor: [], value: [] };
    const rates: Record<Side, number[]> = { floor: [], value: [], connect: [], tuned: [] };
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      // Interleaved, each side first in turn, so that a noisy minute hits all.
      for (let at = 0; at < SIDES.length; at += 1) {
        const side = SIDES[(at + repetition) % SIDES.length] as Side;
        const before = process.cpuUsage();
        rates[side].push(await rateOf(side, stage, count, repetition));
        const { user, system } = process.cpuUsage(before);
        if (side === 'floor' || side === 'value') cpu[side].push((user + system) / count);
        process.stderr.write(
          `throughput-kafka ${repetition + 1}/${repetitions}: ${side} ${Math.round(rates[side].at(-1) as number)} events/s\n`,
        );
      }
    }
    return resultOf(rates, cpu, count, repetitions);
  } finally {
    await stage.close();
  }
}

async function rateOf(side: Side, stage: KafkaStage, count: number, repetition: number): Promise<number> {
  const { pool } = stage.store;
  await pool.query('checkpoint');
  if (side === 'connect' || side === 'tuned') {
    const table = `bench_${side}_${repetition}`;
    const connect = await startSink(stage, table, side === 'tuned');
    const died = connect.ended.then(() =>
      Promise.reject(new Error(`Kafka Connect ended:\n${connect.log().slice(-3000)}`)),
    );
    died.catch(() => undefined);
    // The sequence tells how many rows were inserted; to count them would cost Postgres more than they do.
    const inserted = `select case when is_called then last_value else 0 end as n from ${table}_rows`;
    try {
      const stored = `select count(*) as n from ${table}`;
      // The sequence is ahead of what is committed: the end is counted.
      const progress = async (): Promise<number> => {
        const found = await numberOf(stage, inserted);
        return found < count ? found : numberOf(stage, stored);
      };
      return await Promise.race([rateUntil(count, progress), died]);
    } catch (error) {
      throw new Error(`Kafka Connect could not be measured:\n${connect.log().slice(-3000)}`, {
        cause: error,
      });
    } finally {
      await connect.stop();
    }
  }
  const generation = 10 + repetition;
  const name = side === 'floor' ? 'floor' : 'truncator';
  const measured: Stage = { pool, codec: stage.store.codec, log: stage.log };
  const consumer = await (side === 'floor' ? floorConsumer : truncator)(measured, generation);
  const handled = `select coalesce(sum(next_offset), 0) as n from palimpsest.checkpoints
                   where consumer = '${name}' and generation = ${generation}`;
  try {
    const ended = consumer.done.then(() => Promise.reject(new Error(`The ${name} ended.`)));
    ended.catch(() => undefined);
    return await Promise.race([rateUntil(count, () => numberOf(stage, handled)), ended]);
  } finally {
    await consumer.stop();
  }
}

/** Events a second from the end of the warm-up until all are in. */
async function rateUntil(count: number, progress: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  let first: { at: number; in: number } | undefined;
  for (;;) {
    const [found, at] = [await progress(), performance.now()];
    if (first === undefined && found >= count * WARM_UP && found < count) first = { at, in: found };
    if (found >= count) {
      const from = first ?? { at: begun, in: 0 };
      return ((count - from.in) / (at - from.at)) * 1000;
    }
    if (found === 0 && at - begun > FIRST_WITHIN_MS) throw new Error('Nothing was written.');
    await delay(POLL_MS);
  }
}

async function numberOf({ store }: KafkaStage, sql: string): Promise<number> {
  const { rows } = await store.pool.query<{ n: string }>(sql);
  return Number(rows[0]?.n ?? 0);
}

function resultOf(
  rates: Record<Side, number[]>,
  cpu: Record<'floor' | 'value', number[]>,
  count: number,
  repetitions: number,
): BenchResult {
  const [floor, value, connect, tuned] = SIDES.map((side) => median(rates[side])) as [
    number,
    number,
    number,
    number,
  ];
  return {
    name: 'throughput-kafka',
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
      // Of our process, from its start to its end: says more than a rate where others use the machine.
      cpu_us_per_event: rounded(median(cpu.value)),
      floor_cpu_us_per_event: rounded(median(cpu.floor)),
      debezium_jdbc_sink: rounded(connect),
      debezium_with_unnest: rounded(tuned),
      ahead_of_debezium: rounded(value / connect),
      ahead_of_debezium_with_unnest: rounded(value / tuned),
      floors: rates.floor.map(Math.round),
      values: rates.value.map(Math.round),
      debezium: rates.connect.map(Math.round),
      with_unnest: rates.tuned.map(Math.round),
    },
  };
}
