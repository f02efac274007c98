import type { EventLog } from '@palimpsest/log';
import type pg from 'pg';

export interface ConsumerLag {
  consumer: string;
  topic: string;
  /** Records that the consumer has not handled, all partitions. */
  lag: bigint;
}

/**
 * What the given consumers have still to handle of their topics, by their checkpoints (the true positions, which a
 * lag tool on Kafka sees a moment later). A consumer that never started lags by everything.
 */
export async function measureLags(
  pool: pg.Pool,
  log: Pick<EventLog, 'bounds'>,
  consumers: readonly { name: string; generation: number; topics: readonly string[] }[],
): Promise<ConsumerLag[]> {
  const { rows } = await pool.query<{
    generation: number;
    consumer: string;
    topic: string;
    partition: number;
    next_offset: string;
  }>('select generation, consumer, topic, partition, next_offset from palimpsest.checkpoints');
  const checkpoints = new Map(
    rows.map((row) => [
      `${row.generation} ${row.consumer} ${row.topic} ${row.partition}`,
      BigInt(row.next_offset),
    ]),
  );
  const lags: ConsumerLag[] = [];
  for (const { name, generation, topics } of consumers) {
    for (const topic of topics) {
      let lag = 0n;
      for (const { partition, low, high } of await log.bounds(topic)) {
        const next = checkpoints.get(`${generation} ${name} ${topic} ${partition}`) ?? low;
        if (high > next) lag += high - next;
      }
      lags.push({ consumer: name, topic, lag });
    }
  }
  return lags;
}
