import { type SqlToken, tokenizeSql, UnreadableSqlError } from './tokenize-sql.js';

/** A query that the read-only door does not let through. Nothing was run. */
export class QueryRefusedError extends Error {
  override name = 'QueryRefusedError';
}

export interface GuardOptions {
  /** True: the caller is one tenant; what tells of other tenants or of the server is refused too. */
  tenantOnly: boolean;
}

/**
 * The second wall before a read-only query, and the only one where the engine's own has gaps: `readonly` stops writes,
 * settings and most table functions, but in process neither `INTO OUTFILE` nor the function `file()`, and it lets
 * `mergeTreeIndex` read past row policies and a subquery change any setting. Returns the query without its closing semicolon; throws QueryRefusedError
 * with the word it stumbled over. Words in comments count: a comment that the engine reads otherwise hides nothing.
 */
export function guardQuery(sql: string, options: GuardOptions): string {
  const tokens = readTokens(sql);
  const code = tokens.filter((token) => token.kind !== 'comment');
  const last = code.at(-1);
  const closed = last?.kind === 'sign' && last.text === ';';
  const body = closed ? code.slice(0, -1) : code;
  const query = closed ? sql.slice(0, last.start) : sql;

  const first = body[0];
  if (first === undefined) throw refused('The query is empty.');
  const opening = options.tenantOnly ? TENANT_OPENINGS : OPENINGS;
  if (!opening.has(first.text.toLowerCase())) {
    throw refused(`A query starts with ${[...opening].join(', ')}; this one with "${first.text}".`);
  }
  for (const [i, token] of body.entries()) {
    if (token.kind === 'sign' && token.text === ';')
      throw refused('One statement at a time; found a ";" inside.');
    if (token.kind === 'word' || token.kind === 'identifier') checkName(body, i, options);
  }
  for (const token of tokens) {
    if (token.kind === 'comment') checkComment(token);
  }
  return query;
}

const TENANT_OPENINGS = new Set(['select', 'with', '(', 'describe', 'desc']);
const OPENINGS = new Set([...TENANT_OPENINGS, 'explain', 'show', 'exists']);

/** Reach files, the network, other stores or the process by their mere name (`select * apply(file)` calls it too). */
const FORBIDDEN_NAMES = new Set([
  'file',
  'outfile',
  'infile',
  'catboostevaluate',
  'getclienthttpheader',
  'getmacro',
]);
const FORBIDDEN_PREFIX =
  /^(dictget|dicthas|dictis|joinget|ai(generate|classify|extract|translate|embed)|filesystem)/;

/** Table functions that read anything but their own arguments (as of ClickHouse 26.7; a test asks the engine for new ones). */
const FORBIDDEN_CALLS = new RegExp(
  `^(${[
    'url.*',
    's3.*',
    'hdfs.*',
    'gcs',
    'oss',
    'cosn',
    'azureblobstorage.*',
    'hudi.*',
    'deltalake.*',
    'iceberg.*',
    'paimon.*',
    'ytsaurus',
    'mysql',
    'postgresql',
    'mongodb',
    'redis',
    'sqlite',
    'jdbc',
    'odbc',
    'remote.*',
    'cluster.*',
    'executable',
    'filecluster',
    'dictionary',
    'merge',
    'mergetree.*',
    'loop',
    'input',
    'eval',
    'view',
    'viewifpermitted',
    'viewexplain',
    'fuzz.*',
    'arrow.*',
    'prometheus.*',
    'timeseries(selector|metrics|tags|samples|data)',
    'sleep.*',
  ].join('|')})$`,
);

const OTHER_DATABASES = new Set(['system', 'information_schema', 'default']);

function checkName(tokens: readonly SqlToken[], at: number, options: GuardOptions): void {
  const name = tokens[at]!.text.toLowerCase();
  const next = tokens[at + 1];
  if (isForbiddenName(name)) throw refused(`"${name}" reads or writes outside of the ledger.`);
  if (name === 'settings' && tokens[at]!.kind === 'word') {
    throw refused('A query cannot bring SETTINGS; quote the name if it is one.');
  }
  const called = next?.kind === 'sign' && next.text === '(';
  if (called && FORBIDDEN_CALLS.test(name)) {
    throw refused(`"${name}(" reads outside of the ledger's tables.`);
  }
  if (!options.tenantOnly) return;
  if (next?.kind === 'sign' && next.text === '.' && OTHER_DATABASES.has(name)) {
    throw refused(`The database "${name}" tells of more than one tenant; it takes the admin scope.`);
  }
}

function checkComment(token: SqlToken): void {
  for (const word of token.text.toLowerCase().match(/[a-z0-9_]+/g) ?? []) {
    if (isForbiddenName(word)) throw refused(`"${word}" is not taken, not even in a comment.`);
  }
}

function isForbiddenName(name: string): boolean {
  return FORBIDDEN_NAMES.has(name) || FORBIDDEN_PREFIX.test(name);
}

function readTokens(sql: string): SqlToken[] {
  try {
    return tokenizeSql(sql);
  } catch (error) {
    if (!(error instanceof UnreadableSqlError)) throw error;
    throw new QueryRefusedError(`The query was not run. ${error.message}`, { cause: error });
  }
}

function refused(reason: string): QueryRefusedError {
  return new QueryRefusedError(
    `The query was not run. ${reason} Read the views of the ledger ("select * from cost_per_completed_task").`,
  );
}
