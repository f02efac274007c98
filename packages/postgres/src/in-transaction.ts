import type pg from 'pg';

/**
 * Runs `work` in one transaction: commits its result, or rolls back and rethrows. Retries nothing.
 * A connection whose rollback fails is closed rather than given back to the pool.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  // Without a listener, a connection cut while we hold it would end the process.
  const onError = (error: Error): void => void (broken = error);
  tx.on('error', onError);
  try {
    await tx.query('begin');
    const result = await work(tx);
    await tx.query('commit');
    return result;
  } catch (error) {
    await tx.query('rollback').catch((rollbackError: Error) => void (broken ??= rollbackError));
    throw error;
  } finally {
    tx.off('error', onError);
    tx.release(broken);
  }
}
