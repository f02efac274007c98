/**
 * ClickHouse as the ledger needs it: in process or a server, the same statements.
 * Not its job: SQL checks (see guard-query.ts) and what the tables mean.
 */
export interface Engine {
  /** Runs one statement of ours that returns nothing. */
  command(statement: string): Promise<void>;
  /**
   * Inserts rows as one block. The same `token` again is a no-op as long as the table's deduplication window reaches
   * back. After an error the caller cannot know whether the rows are in: send the identical call again.
   */
  insert(table: string, columns: readonly string[], rows: readonly unknown[][], token: string): Promise<void>;
  /**
   * Runs one read-only query and returns its answer in `format`. Every read has settings and buffers of its own:
   * nothing of another query, or of one that failed, can be in it.
   */
  read(query: string, format: LedgerFormat, scope: ReadScope): Promise<string>;
  close(): Promise<void>;
}

/** Formats of text: what an answer is held in. */
export const FORMATS = [
  'JSON',
  'JSONStrings',
  'JSONCompact',
  'JSONCompactStrings',
  'JSONEachRow',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactEachRowWithNames',
  'JSONCompactEachRowWithNamesAndTypes',
  'CSV',
  'CSVWithNames',
  'CSVWithNamesAndTypes',
  'TabSeparated',
  'TabSeparatedWithNames',
  'TabSeparatedWithNamesAndTypes',
] as const;
export type LedgerFormat = (typeof FORMATS)[number];

interface ReadScope {
  /** Null = rows of all tenants (admin scope). */
  tenant: string | null;
  limits: QueryLimits;
  /** Values of `{name:Type}` in the query. */
  parameters?: Readonly<Record<string, string>>;
}

export interface QueryLimits {
  /** Seconds. */
  max_execution_time: number;
  /** Rows of the answer; more is an error, never a cut answer. */
  max_result_rows: number;
  /** Bytes. */
  max_memory_usage: number;
}

export const DEFAULT_LIMITS: QueryLimits = {
  max_execution_time: 30,
  max_result_rows: 100_000,
  max_memory_usage: 2_000_000_000,
};

/** Where a block must count once: deduplicated by its token, in tables fed by it too, and in before the call returns. */
export function insertSettings(token: string) {
  // In process the token is put into a SET statement, which knows escapes the client does not.
  if (!/^[\w./:-]+$/.test(token))
    throw new Error(`"${token}" is no insert token: use letters, digits and "._/:-".`);
  return {
    insert_deduplication_token: token,
    insert_deduplicate: 1,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    async_insert: 0,
    wait_end_of_query: 1,
  } as const;
}

/** Settings of a read, without the one that shuts the door behind them. Decimals are text: no money through a float. */
export function readSettings(limits: QueryLimits) {
  return {
    max_execution_time: limits.max_execution_time,
    max_result_rows: String(limits.max_result_rows),
    max_memory_usage: String(limits.max_memory_usage),
    result_overflow_mode: 'throw',
    output_format_json_quote_decimals: 1,
    // A row policy on top of `x != ''` in a view makes the rewrite to `x.size` fail with UNKNOWN_IDENTIFIER (26.x).
    optimize_functions_to_subcolumns: 0,
  } as const;
}
