import { once } from 'node:events';
import pg from 'pg';

export interface OpenPool {
  pool: pg.Pool;
  /** Resolves when every connection is closed, not merely told to: a server may then be stopped without complaint. */
  close(): Promise<void>;
}

/** A pool whose idle connections may break without ending the process: the next query opens another. */
export function openPool(connectionString: string, max: number): OpenPool {
  const pool = new pg.Pool({ connectionString, max });
  const open = new Set<pg.PoolClient>();
  pool.on('error', () => undefined);
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  return {
    pool,
    async close() {
      await pool.end();
      while (open.size > 0) await once(pool, 'remove');
    },
  };
}
