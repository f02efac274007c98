import type { EventCodec } from '@palimpsest/events';
import type { LedgerFormat, QueryLimits } from '@palimpsest/ledger';
import type { EventLog } from '@palimpsest/log';
import type { Logger, Metrics } from '@palimpsest/observability';
import type { ObjectStore } from '@palimpsest/views';
import type pg from 'pg';
import type { ContextReader } from './context-reader.js';

export interface ContextApiOptions {
  log: EventLog;
  /**
   * Postgres with the schema migrated. The log must not use this same pool: while a batch is accepted, one of its
   * connections waits for the append.
   */
  pool: pg.Pool;
  codec: EventCodec;
  context: ContextReader;
  /** The generation that answers come from. Asked for each request, so that a promote needs no restart. */
  live(): LiveGeneration | Promise<LiveGeneration>;
  /** The generation of another strategy (`name@version`) that can be read; null where there is none. */
  labelled?(strategy: string): Promise<LiveGeneration | null>;
  /** Where the truncator puts large originals; null where all of them are in Postgres. */
  objects?: ObjectStore | null;
  /** Without one, tasks and costs answer 503. */
  ledger?: LedgerReader;
  metrics: Metrics;
  logger: Logger;
  limits?: Partial<Limits>;
  /** What must hold before requests are sent here, by name. A check that rejects makes `/readyz` answer 503. */
  readiness?: Readonly<Record<string, () => Promise<void>>>;
  /** The consumer whose checkpoint `after` waits for. */
  viewConsumer?: string;
}

export interface LiveGeneration {
  generation: number;
  /** `name@version` of its strategy. */
  label: string;
}

export type CostGroup = 'agent' | 'strategy' | 'day';

/** What the API needs of the ledger. Every answer is of one tenant and may be sent as it is. */
export interface LedgerReader {
  /** Steps, cost, peak and outcome of a task; null where the tenant has no such task. */
  task(tenant: string, taskId: string): Promise<object | null>;
  /** Cost and tokens by the groups given, in the order given. */
  costs(tenant: string, groupBy: readonly CostGroup[]): Promise<readonly object[]>;
  /** The answer to one read-only query: columns as `meta`, rows as `data`. Rejects with what was wrong with it. */
  sql(tenant: string, query: string): Promise<object>;
  /** The same as the engine writes it, for clients of ClickHouse. Without it they are told that there is none. */
  text?(tenant: string, query: string, options: LedgerTextOptions): Promise<string>;
}

export interface LedgerTextOptions {
  format: LedgerFormat;
  limits: Partial<QueryLimits>;
  /** Values of `{name:Type}` in the query. */
  parameters: Readonly<Record<string, string>>;
}

export interface Limits {
  /** Bytes of one request's body. */
  bodyBytes: number;
  /** Bytes of one event as it goes into the log; with Kafka not above the broker's `message.max.bytes`. */
  eventBytes: number;
  /** Requests per key and minute, counted in this process. */
  requestsPerMinute: number;
  /** How long `after` waits for the view. */
  waitMs: number;
  /** Delay of the event loop above which new requests are turned away; 0 = never. */
  eventLoopDelayMs: number;
  /** Bytes that an artifact reader answers at most. */
  linesBytes: number;
  /** Time that a search in an artifact may take. */
  grepMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 16 * 1024 * 1024,
  eventBytes: 8 * 1024 * 1024,
  requestsPerMinute: 6_000,
  waitMs: 2_000,
  eventLoopDelayMs: 2_000,
  linesBytes: 256 * 1024,
  grepMs: 1_000,
};
