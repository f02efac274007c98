import type { EventLog } from '@palimpsest/log';
import type pg from 'pg';
import type { ConsumerMetrics } from '@palimpsest/observability';

interface LagOptions {
  name: string;
  generation: number;
  topics: readonly string[];
  log: EventLog;
  pool: pg.Pool;
  metrics: Pick<ConsumerMetrics, 'consumer_lag_records'>;
}

/** Records between the checkpoints and the ends of all partitions; sets the gauge of each on the way. */
export async function measureLag(options: LagOptions): Promise<bigint> {
  const found = await options.pool.query<{ topic: string; partition: number; next_offset: string }>(
    'select topic, partition, next_offset from palimpsest.checkpoints where generation = $1 and consumer = $2',
    [options.generation, options.name],
  );
  const checkpoints = new Map(
    found.rows.map((row) => [`${row.topic}/${row.partition}`, BigInt(row.next_offset)]),
  );
  let total = 0n;
  for (const topic of options.topics) {
    for (const { partition, low, high } of await options.log.bounds(topic)) {
      const next = checkpoints.get(`${topic}/${partition}`) ?? low;
      const lag = high > next ? high - next : 0n;
      const labels = { consumer: options.name, topic, partition: String(partition) };
      options.metrics.consumer_lag_records.set(labels, Number(lag));
      total += lag;
    }
  }
  return total;
}
