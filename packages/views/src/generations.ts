import { inTransaction } from '@palimpsest/postgres';
import type pg from 'pg';

export type GenerationStatus = 'building' | 'live' | 'standby' | 'retired';

export interface Generation {
  generation: number;
  strategyName: string;
  strategyVersion: string;
  /** Canonical JSON of the strategy. */
  strategy: string;
  status: GenerationStatus;
  /** JSON of the part of the log it is made of; null = all of it. */
  scope: string | null;
  createdAt: Date;
  /** When it last went live; null = never. */
  liveSince: Date | null;
}

/** The strategy of a generation to be made. */
export interface StrategyOf {
  name: string;
  version: string;
  canonical: string;
}

/**
 * The live generation; makes generation 1 of the given strategy where there is none at all yet.
 * An existing generation keeps its strategy: changing it is a replay, not a restart.
 */
export async function ensureLiveGeneration(pool: pg.Pool, strategy: StrategyOf): Promise<Generation> {
  const found = await liveGeneration(pool);
  if (found !== null) return found;
  await inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const { rowCount } = await tx.query('select from palimpsest.generations limit 1');
    if (rowCount !== 0) return;
    await insertGeneration(tx, 1, strategy, 'live', null);
  });
  const made = await liveGeneration(pool);
  if (made !== null) return made;
  throw new Error(
    'No generation is live, and one is being built: let "palimpsest replay" or "rebuild" finish, then promote it.',
  );
}

/** A generation to be filled from the log, numbered after all there were. */
export async function createGeneration(
  pool: pg.Pool,
  strategy: StrategyOf,
  scope: string | null,
): Promise<Generation> {
  return inTransaction(pool, async (tx) => {
    await lockGenerations(tx);
    const { rows } = await tx.query<{ next: number }>(
      'select coalesce(max(generation), 0) + 1 as next from palimpsest.generations',
    );
    const next = rows[0]?.next as number;
    await insertGeneration(tx, next, strategy, 'building', scope);
    return (await generationsWhere(tx, 'generation = $1', [next]))[0] as Generation;
  });
}

export async function liveGeneration(db: pg.Pool | pg.ClientBase): Promise<Generation | null> {
  return (await generationsWhere(db, `status = 'live'`))[0] ?? null;
}

export async function findGeneration(
  db: pg.Pool | pg.ClientBase,
  generation: number,
): Promise<Generation | null> {
  return (await generationsWhere(db, 'generation = $1', [generation]))[0] ?? null;
}

/** All there were, oldest first. */
export function listGenerations(db: pg.Pool | pg.ClientBase): Promise<Generation[]> {
  return generationsWhere(db, 'true');
}

/** One switch or creation at a time; ends with the transaction. */
export async function lockGenerations(tx: pg.ClientBase): Promise<void> {
  await tx.query('lock table palimpsest.generations in share row exclusive mode');
}

async function insertGeneration(
  tx: pg.ClientBase,
  generation: number,
  strategy: StrategyOf,
  status: GenerationStatus,
  scope: string | null,
): Promise<void> {
  await tx.query(
    `insert into palimpsest.generations (generation, strategy_name, strategy_version, strategy, status, scope, live_since)
     values ($1, $2, $3, $4, $5, $6, case when $5 = 'live' then now() end)`,
    [generation, strategy.name, strategy.version, strategy.canonical, status, scope],
  );
  await tx.query('select palimpsest.create_generation_partitions($1)', [generation]);
}

async function generationsWhere(
  db: pg.Pool | pg.ClientBase,
  condition: string,
  values: unknown[] = [],
): Promise<Generation[]> {
  const { rows } = await db.query<Generation>(
    `select generation, strategy_name as "strategyName", strategy_version as "strategyVersion", strategy, status,
       scope, created_at as "createdAt", live_since as "liveSince"
     from palimpsest.generations where ${condition} order by generation`,
    values,
  );
  return rows;
}
