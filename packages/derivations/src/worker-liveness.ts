import type { Logger } from '@palimpsest/observability';
import type pg from 'pg';

/**
 * Sets jobs of dead workers free. graphile-worker holds a killed worker's job for four hours; here each worker holds a
 * session advisory lock while it lives, and whoever can take the lock of the worker a job is locked by knows that
 * worker dead. One connection per process.
 */
export interface WorkerLiveness {
  /** To be called for every worker before it takes a job. */
  announce(workerId: string): Promise<void>;
  /** Jobs set free. */
  reclaim(task: string): Promise<number>;
  close(): void;
}

/** First key of the two-part advisory locks: "pali" in ASCII, so that ours collide with nobody's. */
const LOCK_SPACE = 0x70616c69;

/** `graceMs`: how old a lock must be; a worker's first may lie a moment before its announcement. */
export async function watchWorkers(pool: pg.Pool, logger: Logger, graceMs: number): Promise<WorkerLiveness> {
  let client: pg.PoolClient | null = null;
  const announced = new Set<string>();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One connection runs one statement at a time: announcements and reclaims wait for each other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  }

  async function connection(): Promise<pg.PoolClient> {
    if (client !== null) return client;
    const fresh = await pool.connect();
    fresh.on('error', (error) => {
      logger.warn({ err: error }, 'the connection that shows our workers alive was lost; it is made anew');
      if (client === fresh) client = null;
      fresh.release(error);
    });
    client = fresh;
    for (const worker of announced) await hold(fresh, worker);
    return fresh;
  }

  await connection();
  return {
    async announce(workerId) {
      await inTurn(async () => {
        const db = await connection();
        announced.add(workerId);
        await hold(db, workerId);
      });
    },
    reclaim: (task) => inTurn(() => reclaim(task)),
    close() {
      closed = true;
      client?.release(true); // its locks end with the session
      client = null;
    },
  };

  async function reclaim(task: string): Promise<number> {
    if (closed) return 0;
    const db = await connection();
    const { rows } = await db.query<{ worker: string }>(
      `select distinct locked_by as worker from graphile_worker.jobs
         where task_identifier = $1 and locked_by is not null and locked_at < now() - $2::integer * interval '1 millisecond'`,
      [task, graceMs],
    );
    const dead: string[] = [];
    for (const { worker } of rows) {
      if (announced.has(worker)) continue; // a lock can be taken again by its own session
      const taken = await db.query<{ ok: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as ok', [
        LOCK_SPACE,
        worker,
      ]);
      if (taken.rows[0]?.ok !== true) continue;
      dead.push(worker);
      await db.query('select pg_advisory_unlock($1, hashtext($2))', [LOCK_SPACE, worker]);
    }
    if (dead.length > 0) {
      await db.query('select graphile_worker.force_unlock_workers($1::text[])', [dead]);
      logger.info({ workers: dead.length, task }, 'jobs of workers that died are free again');
    }
    return dead.length;
  }
}

async function hold(client: pg.PoolClient, workerId: string): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, hashtext($2))', [LOCK_SPACE, workerId]);
}
