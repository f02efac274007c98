import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@palimpsest/postgres';
import type pg from 'pg';
import { findGeneration, type Generation, liveGeneration, lockGenerations } from './generations.js';

/** A generation that cannot be switched to, or be dropped; says why and what to do. */
export class GenerationError extends Error {
  override name = 'GenerationError';
}

/** A place of the log where a generation knows less than the live one. */
export interface Behind {
  consumer: string;
  topic: string;
  partition: number;
  /** Records. */
  by: bigint;
}

/** The generation has not reached the live one; nothing was switched. */
export class BehindError extends GenerationError {
  override name = 'BehindError';
  constructor(
    generation: number,
    readonly places: readonly Behind[],
  ) {
    const first = places[0] as Behind;
    const sum = places.reduce((records, { by }) => records + by, 0n);
    super(
      `Generation ${generation} is ${sum} records behind the live one (${first.consumer} in ` +
        `${first.topic}[${first.partition}]: ${first.by}): let its replay catch up, then promote it again.`,
    );
  }
}

/** Where a generation's consumers must have come before it can go live: those that its strategy runs. */
export interface Barrier {
  consumers: readonly string[];
  /** How long the live generation may be held up for the new one to reach it. Default 0: it must have. */
  waitMs?: number;
}

const LOOK_MS = 20;

/**
 * Makes a generation live in one transaction, the one that was live stands by. While it is decided the live one's
 * consumers cannot commit, and the new one is refused (BehindError) where one of its consumers is behind the same of the
 * live one: an answer after the switch knows all that any answer before it knew. Throws GenerationError where it cannot be live.
 * Answers the generation that was live; null where there was none.
 */
export async function promoteGeneration(
  pool: pg.Pool,
  generation: number,
  barrier: Barrier,
): Promise<Generation | null> {
  return inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const next = await findGeneration(tx, generation);
    if (next === null) throw new GenerationError(`There is no generation ${generation}.`);
    refuseUnfit(next);
    const live = await liveGeneration(tx);
    if (live?.generation === generation) return live;
    if (live !== null) {
      await reachedBy(tx, generation, live.generation, barrier);
      await tx.query(
        `update palimpsest.generations set status = 'standby', standby_since = now() where generation = $1`,
        [live.generation],
      );
    }
    await tx.query(
      `update palimpsest.generations set status = 'live', live_since = now() where generation = $1`,
      [generation],
    );
    return live;
  });
}

/** The generation that was live before this one and still follows the log; null where there is none. */
export async function previousGeneration(db: pg.Pool | pg.ClientBase): Promise<Generation | null> {
  const { rows } = await db.query<{ generation: number }>(
    `select generation from palimpsest.generations where status = 'standby' order by standby_since desc limit 1`,
  );
  return rows[0] === undefined ? null : findGeneration(db, rows[0].generation);
}

/**
 * Drops all that a generation holds: its partitions, so nothing is left to vacuum, its checkpoints and its jobs. The
 * row stays, marked. Throws GenerationError for the live one. Repeating it is harmless.
 */
export async function retireGeneration(pool: pg.Pool, generation: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const found = await findGeneration(tx, generation);
    if (found === null) throw new GenerationError(`There is no generation ${generation}.`);
    if (found.status === 'live') {
      throw new GenerationError(`Generation ${generation} is live: promote another before it is retired.`);
    }
    await tx.query(`update palimpsest.generations set status = 'retired' where generation = $1`, [
      generation,
    ]);
    await tx.query('delete from palimpsest.checkpoints where generation = $1', [generation]);
    await tx.query('select palimpsest.drop_generation_partitions($1)', [generation]);
    const jobs = await tx.query<{ there: boolean }>(
      `select to_regclass('graphile_worker.jobs') is not null as there`,
    );
    if (jobs.rows[0]?.there !== true) return;
    await tx.query(
      `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
       where task_identifier in ('summarize:' || $1, 'extract-facts:' || $1) and locked_at is null
       having count(*) > 0`,
      [String(generation)],
    );
  });
}

function refuseUnfit({ generation, status, scope }: Generation): void {
  if (status === 'retired') {
    throw new GenerationError(
      `Generation ${generation} is retired: its views are gone. Replay its strategy again.`,
    );
  }
  if (scope !== null) {
    throw new GenerationError(
      `Generation ${generation} is made of a part of the log only (${scope}): it is for comparison. ` +
        'Replay its strategy over all of it to make it live.',
    );
  }
}

interface Reached {
  consumer: string;
  topic: string;
  partition: number;
  next_offset: string;
}

/** Holds the live generation where it is and waits until the next one is there as well. Throws BehindError. */
async function reachedBy(
  tx: pg.ClientBase,
  next: number,
  live: number,
  { consumers, waitMs = 0 }: Barrier,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  const wanted = await checkpointsOf(tx, live, consumers, 'for update');
  // What only the new strategy has must have come as far as the live views have.
  const views = wanted.filter((row) => row.consumer === 'truncator');
  for (const consumer of consumers) {
    if (!wanted.some((row) => row.consumer === consumer) && !consumer.endsWith('.projection')) {
      wanted.push(...views.map((row) => ({ ...row, consumer })));
    }
  }
  for (;;) {
    const reached = await checkpointsOf(tx, next, consumers, '');
    const offsets = new Map(reached.map((row) => [placeOf(row), BigInt(row.next_offset)]));
    const behind = wanted.flatMap(({ consumer, topic, partition, next_offset }) => {
      const by = BigInt(next_offset) - (offsets.get(placeOf({ consumer, topic, partition })) ?? 0n);
      return by > 0n ? [{ consumer, topic, partition, by }] : [];
    });
    if (behind.length === 0) return;
    if (performance.now() >= deadline) throw new BehindError(next, behind);
    await pause(LOOK_MS);
  }
}

async function checkpointsOf(
  tx: pg.ClientBase,
  generation: number,
  consumers: readonly string[],
  locking: 'for update' | '',
): Promise<Reached[]> {
  const { rows } = await tx.query<Reached>(
    `select consumer, topic, partition, next_offset from palimpsest.checkpoints
     where generation = $1 and consumer = any ($2::text[]) order by consumer, topic, partition ${locking}`,
    [generation, consumers],
  );
  return rows;
}

function placeOf(row: { consumer: string; topic: string; partition: number }): string {
  return JSON.stringify([row.consumer, row.topic, row.partition]);
}
