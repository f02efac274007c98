import type pg from 'pg';
import { FatalError, StaleOwnerError } from './errors.js';

/** Whose checkpoint, in which partition. */
export interface CheckpointKey {
  generation: number;
  consumer: string;
  topic: string;
  partition: number;
}

export interface Checkpoint {
  nextOffset: bigint;
  epoch: bigint;
}

/**
 * Makes the caller the owner: raises the epoch, so that every earlier owner's compare-and-set fails from now on, and
 * answers where to go on. Waits for a transaction of the earlier owner that is under way. A consumer that is new to
 * the partition starts at `first`. Throws FatalError where the checkpoint is of another topic than `topicId` names (one
 * of the same name, deleted since); null = the log cannot tell.
 */
export async function takeOver(
  pool: pg.Pool,
  key: CheckpointKey,
  topicId: string | null,
  first: () => Promise<bigint>,
): Promise<Checkpoint> {
  const raised = await pool.query<CheckpointRow>(
    `update palimpsest.checkpoints
     set epoch = epoch + 1, updated_at = now(), topic_id = coalesce(topic_id, $5)
     where generation = $1 and consumer = $2 and topic = $3 and partition = $4
     returning next_offset, epoch, topic_id`,
    [...valuesOf(key), topicId],
  );
  if (raised.rows[0] !== undefined) return ofTopic(key, raised.rows[0], topicId);
  const made = await pool.query<CheckpointRow>(
    `insert into palimpsest.checkpoints (generation, consumer, topic, partition, topic_id, next_offset, epoch)
     values ($1, $2, $3, $4, $5, $6, 1)
     on conflict (generation, consumer, topic, partition)
     do update set epoch = checkpoints.epoch + 1, updated_at = now()
     returning next_offset, epoch, topic_id`,
    [...valuesOf(key), topicId, await first()],
  );
  return ofTopic(key, made.rows[0] as CheckpointRow, topicId);
}

/** Moves the checkpoint if it is where its owner left it; else throws StaleOwnerError, and the transaction must fail. */
export async function advanceCheckpoint(
  tx: pg.ClientBase,
  key: CheckpointKey,
  from: Checkpoint,
  nextOffset: bigint,
): Promise<void> {
  const moved = await tx.query({
    name: 'palimpsest.advance-checkpoint',
    text: `update palimpsest.checkpoints set next_offset = $7, updated_at = now()
           where generation = $1 and consumer = $2 and topic = $3 and partition = $4
             and epoch = $5 and next_offset = $6`,
    values: [...valuesOf(key), from.epoch, from.nextOffset, nextOffset],
  });
  if (moved.rowCount !== 1) throw stale(key, from);
}

/** Locks the row against a new owner until `tx` ends; throws StaleOwnerError when there already is one. */
export async function assertOwner(tx: pg.ClientBase, key: CheckpointKey, owned: Checkpoint): Promise<void> {
  const found = await tx.query(
    `select 1 from palimpsest.checkpoints
     where generation = $1 and consumer = $2 and topic = $3 and partition = $4 and epoch = $5 for no key update`,
    [...valuesOf(key), owned.epoch],
  );
  if (found.rowCount !== 1) throw stale(key, owned);
}

export async function readCheckpoint(pool: pg.Pool, key: CheckpointKey): Promise<Checkpoint | null> {
  const found = await pool.query<CheckpointRow>(
    `select next_offset, epoch from palimpsest.checkpoints
     where generation = $1 and consumer = $2 and topic = $3 and partition = $4`,
    valuesOf(key),
  );
  return found.rows[0] === undefined ? null : toCheckpoint(found.rows[0]);
}

interface CheckpointRow {
  next_offset: string;
  epoch: string;
  topic_id?: string | null;
}

function ofTopic(key: CheckpointKey, row: CheckpointRow, topicId: string | null): Checkpoint {
  const of = row.topic_id ?? null;
  if (of === null || topicId === null || of === topicId) return toCheckpoint(row);
  throw new FatalError(
    `Topic "${key.topic}" was deleted and made anew: the checkpoint of ${key.consumer} (generation ${key.generation}) in ` +
      `${key.topic}[${key.partition}], offset ${row.next_offset}, is of the topic before. Restore that one, or begin anew ` +
      `with "palimpsest checkpoints reset" (docs/runbook.md, "Retention passed the checkpoint"); nothing was skipped.`,
  );
}

function toCheckpoint(row: CheckpointRow): Checkpoint {
  return { nextOffset: BigInt(row.next_offset), epoch: BigInt(row.epoch) };
}

function valuesOf(key: CheckpointKey): [number, string, string, number] {
  return [key.generation, key.consumer, key.topic, key.partition];
}

function stale(key: CheckpointKey, owned: Checkpoint): StaleOwnerError {
  return new StaleOwnerError(
    `The checkpoint of ${key.consumer} (generation ${key.generation}) in ${key.topic}[${key.partition}] is no longer ` +
      `at offset ${owned.nextOffset}, epoch ${owned.epoch}: another process owns the partition. Nothing was written.`,
  );
}
