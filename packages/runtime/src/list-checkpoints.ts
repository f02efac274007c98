import type { EventLog, PartitionBounds } from '@palimpsest/log';
import type pg from 'pg';
import type { CheckpointKey } from './checkpoint.js';

/**
 * | state           | the consumer |
 * |-----------------|--------------|
 * | readable        | goes on from there |
 * | below retention | stops: records between the checkpoint and the first one kept are gone |
 * | behind the end  | stops: records it has handled are gone, their offsets will be given again |
 * | made anew       | stops: the topic of its offsets was deleted, another has its name |
 */
export type CheckpointState = 'readable' | 'below retention' | 'behind the end' | 'made anew';

export interface ListedCheckpoint extends CheckpointKey {
  nextOffset: bigint;
  /** First offset kept, and the one the next record will get. */
  low: bigint;
  high: bigint;
  state: CheckpointState;
  updatedAt: Date;
  /** Of the topic there is now; null where the log gives none. */
  topicId: string | null;
}

/** Every checkpoint beside what the log has there now. Throws what the log throws for a topic that is gone. */
export async function listCheckpoints(
  pool: pg.Pool,
  log: Pick<EventLog, 'bounds' | 'topicId'>,
): Promise<ListedCheckpoint[]> {
  const { rows } = await pool.query<CheckpointRow>(
    `select generation, consumer, topic, partition, next_offset, topic_id, updated_at from palimpsest.checkpoints
     order by generation, consumer, topic, partition`,
  );
  const topics = new Map<string, FoundTopic>();
  for (const topic of new Set(rows.map((row) => row.topic))) {
    const [bounds, id] = [await log.bounds(topic), await log.topicId(topic)];
    topics.set(topic, { id, bounds: new Map(bounds.map((one) => [one.partition, one])) });
  }
  return rows.map((row) => listed(row, topics.get(row.topic) as FoundTopic));
}

interface CheckpointRow {
  generation: number;
  consumer: string;
  topic: string;
  partition: number;
  next_offset: string;
  topic_id: string | null;
  updated_at: Date;
}

interface FoundTopic {
  id: string | null;
  bounds: ReadonlyMap<number, PartitionBounds>;
}

function listed(row: CheckpointRow, { id, bounds }: FoundTopic): ListedCheckpoint {
  const { generation, consumer, topic, partition } = row;
  const nextOffset = BigInt(row.next_offset);
  // A topic made anew may have fewer partitions.
  const { low, high } = bounds.get(partition) ?? { low: 0n, high: 0n };
  const isOther = row.topic_id !== null && id !== null && row.topic_id !== id;
  const state = isOther || !bounds.has(partition) ? 'made anew' : stateOf(nextOffset, low, high);
  const place = { generation, consumer, topic, partition };
  return { ...place, nextOffset, low, high, state, updatedAt: row.updated_at, topicId: id };
}

function stateOf(nextOffset: bigint, low: bigint, high: bigint): CheckpointState {
  if (nextOffset < low) return 'below retention';
  return nextOffset > high ? 'behind the end' : 'readable';
}
