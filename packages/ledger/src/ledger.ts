import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS, type Engine, type LedgerFormat, type QueryLimits } from './engine.js';
import { guardQuery } from './guard-query.js';
import { migrate } from './migrate.js';
import { type LedgerAudit, startAudit } from './audit.js';
import type { Price, PriceAlias, PriceBook } from './price-book.js';
import { importPrices, loadPriceBook, seedPrices } from './price-store.js';
import { type Repricing, type RepriceRequest, reprice } from './reprice.js';
import { type RollupRefresh, refreshRollup } from './rollup.js';
import type { ServerOptions } from './server-engine.js';
import { STEP_COLUMNS, type StepRow } from './step-row.js';
import { TASK_COLUMNS, type TaskRow } from './task-row.js';

export type LedgerOptions = { kind: 'embedded'; path: string } | ({ kind: 'server' } & ServerOptions);

/**
 * Ledger, the port to the bill.
 *
 * What it promises
 * - A block sent again with the same token counts once. A report of an answer that comes again in any other block, or
 *   in another order, counts once as well: the final or greatest one, in every view, before and after merges.
 * - Rows of all tenants lie in one set of tables; a query with `tenant` sees that tenant's only.
 *
 * What it does NOT promise
 * - After an error of `insertBlock` the rows may be in or not: the caller keeps the block and sends it again as it was.
 * - No transaction spans it and any other store.
 */
export interface Ledger {
  /** Prices as they stood when the ledger was opened or `reloadPrices` was last called. */
  readonly prices: PriceBook;
  reloadPrices(): Promise<void>;
  /**
   * Stores price lines and aliases; what is already said is `unchanged`. Steps from then on are priced by them, once
   * every process has called `reloadPrices`; the past stays as it is: see `reprice`.
   */
  importPrices(
    prices: readonly Price[],
    aliases?: readonly PriceAlias[],
  ): Promise<{ stored: number; unchanged: number }>;
  /** Prices answers of the past anew, those asked for and no others, and leaves a trace in `repricings`. */
  reprice(request: RepriceRequest): Promise<Repricing>;
  /** Begins to hold the ledger against what the log says; see `LedgerAudit`. */
  startAudit(): Promise<LedgerAudit>;
  /**
   * Brings the sums behind `cost_per_completed_task` up to date. Its answers are exact without, and slower the more
   * tasks were touched since the last refresh: call it every minute or so, from any process.
   */
  refreshRollup(): Promise<RollupRefresh>;
  /** Inserts one block of steps or of tasks; see `blockToken`. An empty block is a no-op. */
  insertBlock(block: LedgerBlock): Promise<void>;
  /**
   * Runs one read-only query under limits (30 s, 100,000 rows, 2 GB unless told otherwise; over a limit is an error)
   * and returns the answer as text in `format` (default JSON; decimals are strings there). Without `tenant` it reads
   * everything: admin scope. Throws QueryRefusedError for what is not a query of the ledger, and what the engine said
   * otherwise.
   */
  query(sql: string, options: QueryOptions): Promise<string>;
  close(): Promise<void>;
}

export type LedgerBlock =
  | { kind: 'steps'; token: string; rows: readonly StepRow[] }
  | { kind: 'tasks'; token: string; rows: readonly TaskRow[] };

export interface QueryOptions {
  readonly: true;
  tenant?: string;
  format?: LedgerFormat;
  limits?: Partial<QueryLimits>;
  /** Values of `{name:Type}` in the query. */
  parameters?: Readonly<Record<string, string>>;
}

/**
 * The token of a block: its place in the log and a hash of its events' ids, so that the same range is the same block
 * whoever sends it, and a topic made anew, whose offsets start again, is not taken for the old one.
 */
export function blockToken(
  topic: string,
  partition: number,
  fromOffset: bigint,
  nextOffset: bigint,
  eventIds: readonly string[],
): string {
  const hash = createHash('sha256').update(JSON.stringify(eventIds)).digest('hex').slice(0, 16);
  return `${topic}/${partition}/${fromOffset}/${nextOffset}/${hash}`;
}

/** Opens the ledger, brings its tables up to date (refusing newer ones) and loads the prices. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const engine = await openEngine(options);
  try {
    await migrate(engine);
    await seedPrices(engine);
    return new EngineLedger(engine, await loadPriceBook(engine));
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Loaded when asked for: the embedded engine is a library of 500 MB, which a process with a server never needs. */
async function openEngine(options: LedgerOptions): Promise<Engine> {
  if (options.kind === 'server') return (await import('./server-engine.js')).openServerEngine(options);
  return (await import('./embedded-engine.js')).openEmbeddedEngine(options.path);
}

class EngineLedger implements Ledger {
  constructor(
    private readonly engine: Engine,
    private book: PriceBook,
  ) {}

  get prices(): PriceBook {
    return this.book;
  }

  async reloadPrices(): Promise<void> {
    this.book = await loadPriceBook(this.engine);
  }

  async importPrices(
    prices: readonly Price[],
    aliases: readonly PriceAlias[] = [],
  ): Promise<{ stored: number; unchanged: number }> {
    const result = await importPrices(this.engine, prices, aliases);
    await this.reloadPrices();
    return result;
  }

  async reprice(request: RepriceRequest): Promise<Repricing> {
    await this.reloadPrices();
    return await reprice(this.engine, this.book, request);
  }

  startAudit(): Promise<LedgerAudit> {
    return startAudit(this.engine);
  }

  refreshRollup(): Promise<RollupRefresh> {
    return refreshRollup(this.engine);
  }

  async insertBlock(block: LedgerBlock): Promise<void> {
    if (block.rows.length === 0) return;
    const table = block.kind === 'steps' ? 'step_rows' : 'task_rows';
    const columns = block.kind === 'steps' ? STEP_COLUMNS : TASK_COLUMNS;
    const cells = block.rows.map((row) => row.cells);
    await this.engine.insert(table, columns, cells, block.token);
  }

  async query(sql: string, options: QueryOptions): Promise<string> {
    const tenant = options.tenant ?? null;
    const query = guardQuery(sql, { tenantOnly: tenant !== null });
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { parameters } = options;
    return await this.engine.read(query, options.format ?? 'JSON', {
      tenant,
      limits,
      ...(parameters === undefined ? {} : { parameters }),
    });
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}
