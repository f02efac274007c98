import { type Strategy, strategyFromCanonical } from '@palimpsest/strategy';
import { ensureLiveGeneration, migrate } from '@palimpsest/views';
import pg from 'pg';
import { strategyNamed } from './strategy-named.js';

export interface PoolOptions {
  /** Shown in pg_stat_activity, unless the URL names another. */
  application: string;
  url: string;
  connections: number;
  /**
   * Postgres ends a transaction that stands idle for so long; 0 = never. A consumer that is stopped in mid-transaction
   * may hold locks that the partition's next owner waits for.
   */
  idleInTransactionMs: number;
}

/** An attempt that takes longer counts as one that failed. */
const CONNECT_WITHIN_MS = 10_000;

export function openPool({ application, url, connections, idleInTransactionMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    application_name: application,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  pool.on('error', () => undefined); // an idle connection that breaks is replaced by the next query
  return pool;
}

export interface LiveStrategy {
  generation: number;
  strategy: Strategy;
}

/** Brings the schema up to date (refusing a newer one) and answers the live generation, made where there is none. */
export async function prepareStore(pool: pg.Pool, strategy: string): Promise<LiveStrategy> {
  await migrate(pool);
  const first = strategyNamed(strategy);
  const live = await ensureLiveGeneration(pool, { ...first, name: first.settings.name });
  return { generation: live.generation, strategy: strategyFromCanonical(live.strategy) };
}

const AWAY_CODES =
  /^(08...|53...|57P0[1-4]|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;

/** Postgres cannot be reached or cannot answer now; not: it refuses us, or the schema. */
export function isPostgresAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && AWAY_CODES.test(cause.code)) return true;
    if (/Connection terminated|timeout exceeded when trying to connect/.test(cause.message)) return true;
  }
  return false;
}
