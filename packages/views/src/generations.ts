import type pg from 'pg';

export interface Generation {
  generation: number;
  strategyName: string;
  strategyVersion: string;
  /** Canonical JSON of the strategy. */
  strategy: string;
  status: 'building' | 'live' | 'retired';
}

/**
 * The live generation; makes generation 1 of the given strategy where there is none yet.
 * An existing generation keeps its strategy: changing it is a replay, not a restart.
 */
export async function ensureLiveGeneration(
  pool: pg.Pool,
  strategy: { name: string; version: string; canonical: string },
): Promise<Generation> {
  const found = await liveGeneration(pool);
  if (found !== null) return found;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into palimpsest.generations (generation, strategy_name, strategy_version, strategy, status)
       values (1, $1, $2, $3, 'live') on conflict do nothing`,
      [strategy.name, strategy.version, strategy.canonical],
    );
    await client.query('select palimpsest.create_generation_partitions(1)');
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
  return (await liveGeneration(pool)) as Generation;
}

export async function liveGeneration(pool: pg.Pool): Promise<Generation | null> {
  const { rows } = await pool.query<{
    generation: number;
    strategy_name: string;
    strategy_version: string;
    strategy: string;
  }>(
    `select generation, strategy_name, strategy_version, strategy from palimpsest.generations where status = 'live'`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    generation: row.generation,
    strategyName: row.strategy_name,
    strategyVersion: row.strategy_version,
    strategy: row.strategy,
    status: 'live',
  };
}
