import type pg from 'pg';

/**
 * Lends a connection of the pool to `work`. A connection that broke meanwhile is closed, not given back; without the
 * listener its error would end the process.
 */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  try {
    return await work(client);
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** The same in a transaction: committed when `work` resolves, rolled back when it rejects. */
export function withTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      // A failing rollback means a broken connection, which withClient sees by itself.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });
}
