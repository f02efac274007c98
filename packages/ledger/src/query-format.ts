import { FORMATS, type LedgerFormat } from './engine.js';
import { QueryRefusedError } from './guard-query.js';
import { tokenizeSql, UnreadableSqlError } from './tokenize-sql.js';

/** Short names ClickHouse has for the same formats. */
const SHORT: Readonly<Record<string, LedgerFormat>> = {
  tsv: 'TabSeparated',
  tsvwithnames: 'TabSeparatedWithNames',
  tsvwithnamesandtypes: 'TabSeparatedWithNamesAndTypes',
};

/** The format of that name, in any case; null for one the ledger does not answer in. */
export function formatNamed(name: string): LedgerFormat | null {
  const lower = name.toLowerCase();
  return SHORT[lower] ?? FORMATS.find((format) => format.toLowerCase() === lower) ?? null;
}

/**
 * A query and the name of the format at its end, as clients of ClickHouse write it; null where there is none.
 * Throws QueryRefusedError for SQL that cannot be read.
 *
 * `splitFormat('select 1 format JSON')` → `{ query: 'select 1', format: 'JSON' }`
 */
export function splitFormat(sql: string): { query: string; format: string | null } {
  const code = tokens(sql).filter((token) => token.kind !== 'comment');
  if (code.at(-1)?.kind === 'sign' && code.at(-1)?.text === ';') code.pop();
  const [word, name] = code.slice(-2);
  if (
    code.length < 3 ||
    word?.kind !== 'word' ||
    name?.kind !== 'word' ||
    word.text.toLowerCase() !== 'format'
  ) {
    return { query: sql, format: null };
  }
  return { query: sql.slice(0, word.start), format: name.text };
}

function tokens(sql: string): ReturnType<typeof tokenizeSql> {
  try {
    return tokenizeSql(sql);
  } catch (cause) {
    if (!(cause instanceof UnreadableSqlError)) throw cause;
    throw new QueryRefusedError(`The query was not run. ${cause.message}`, { cause });
  }
}
