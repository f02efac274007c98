import type { EventLog } from '@palimpsest/log';
import { inTransaction } from '@palimpsest/postgres';
import type pg from 'pg';
import { type ListedCheckpoint, listCheckpoints } from './list-checkpoints.js';

export interface ResetOptions {
  topic: string;
  consumer?: string;
  generation?: number;
  partition?: number;
  /**
   * Empties the views of the generations concerned and lets all their consumers begin at the first record kept: they
   * are made anew of what the log has.
   */
  forgetViews: boolean;
}

/** Views would mix offsets of two topics: resetting the checkpoint alone would leave them wrong for ever. */
export class ViewsHoldOffsetsError extends Error {
  override name = 'ViewsHoldOffsetsError';
  constructor({ consumer, topic, partition, generation, nextOffset, state }: ListedCheckpoint) {
    super(
      `The checkpoint of ${consumer} (generation ${generation}) in ${topic}[${partition}], offset ${nextOffset}, is ` +
        `${state}: the views of generation ${generation} hold offsets that mean other records now. Say --forget-views ` +
        `to empty them and make them anew of what the log has. Nothing was changed.`,
    );
  }
}

/**
 * Sets checkpoints that cannot be read from to the first record kept, with a new epoch, so that it is safe beside
 * consumers that run; readable ones are left. All or nothing. Answers what it has set, as it was before.
 */
export async function resetCheckpoints(
  pool: pg.Pool,
  log: Pick<EventLog, 'bounds' | 'topicId'>,
  options: ResetOptions,
): Promise<ListedCheckpoint[]> {
  const all = await listCheckpoints(pool, log);
  const lost = all.filter((one) => one.state !== 'readable' && isMeant(one, options));
  const mixed = lost.filter(({ generation, state }) => generation > 0 && state !== 'below retention');
  if (mixed[0] !== undefined && !options.forgetViews) throw new ViewsHoldOffsetsError(mixed[0]);
  const forgotten = new Set(mixed.map(({ generation }) => generation));
  const reset = all.filter((one) => lost.includes(one) || forgotten.has(one.generation));
  await inTransaction(pool, async (tx) => {
    for (const one of reset) await begin(tx, one);
    for (const generation of forgotten) {
      await tx.query('select palimpsest.drop_generation_partitions($1)', [generation]);
      await tx.query('select palimpsest.create_generation_partitions($1)', [generation]);
    }
  });
  return reset;
}

function isMeant(one: ListedCheckpoint, { topic, consumer, generation, partition }: ResetOptions): boolean {
  return (
    one.topic === topic &&
    (consumer === undefined || one.consumer === consumer) &&
    (generation === undefined || one.generation === generation) &&
    (partition === undefined || one.partition === partition)
  );
}

async function begin(tx: pg.ClientBase, one: ListedCheckpoint): Promise<void> {
  const { generation, consumer, topic, partition, low, topicId, state } = one;
  await tx.query(
    `update palimpsest.checkpoints set next_offset = $5, topic_id = $6, epoch = epoch + 1, updated_at = now()
     where generation = $1 and consumer = $2 and topic = $3 and partition = $4`,
    [generation, consumer, topic, partition, low, topicId],
  );
  if (generation !== 0) return;
  // A block of the ledger that begins with what is gone can't be sent again as it was; the ledger knows its rows.
  await tx.query(
    `delete from palimpsest.ledger_blocks where topic = $1 and partition = $2 and ($4 or from_offset < $3)`,
    [topic, partition, low, state !== 'below retention'],
  );
}
