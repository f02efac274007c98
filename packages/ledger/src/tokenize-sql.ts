/** One token of ClickHouse SQL. `text` of a quoted one is what stands between the quotes. */
export interface SqlToken {
  kind: 'word' | 'identifier' | 'string' | 'comment' | 'sign';
  text: string;
  /** Index of the first character, and behind the last. */
  start: number;
  end: number;
}

/** SQL that cannot be cut into tokens the way ClickHouse would do it for sure. */
export class UnreadableSqlError extends Error {
  override name = 'UnreadableSqlError';
}

/**
 * Cuts SQL into tokens. It is stricter than ClickHouse: whatever could be read in two ways (`#` comments, `$` heredocs
 * and names, characters beyond ASCII outside of quotes, NUL) is refused, so that nothing hides in a string that
 * ClickHouse would run. Throws UnreadableSqlError.
 */
export function tokenizeSql(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < sql.length) {
    const start = at;
    const kind = kindAt(sql, at);
    if (kind === 'space') {
      at += 1;
      continue;
    }
    let text: string;
    if (kind === 'string' || kind === 'identifier') {
      [text, at] = readQuoted(sql, at);
    } else {
      at = kind === 'comment' ? endOfComment(sql, at) : kind === 'word' ? endOfWord(sql, at) : at + 1;
      text = sql.slice(start, at);
    }
    tokens.push({ kind, text, start, end: at });
  }
  return tokens;
}

/** The statements between top-level semicolons, without comments-only and empty ones. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let empty = true;
  for (const token of [
    ...tokenizeSql(sql),
    { kind: 'sign', text: ';', start: sql.length, end: sql.length },
  ]) {
    if (token.kind === 'sign' && token.text === ';') {
      if (!empty) statements.push(sql.slice(start, token.start).trim());
      start = token.end;
      empty = true;
    } else if (token.kind !== 'comment') {
      empty = false;
    }
  }
  return statements;
}

const WORD = /[A-Za-z0-9_]/;
const SIGN = /[-+*/%=<>!.,:;()[\]{}?|@^~&\\]/;

function kindAt(sql: string, at: number): SqlToken['kind'] | 'space' {
  const char = sql[at]!;
  if (/[ \t\n\r\f\v]/.test(char)) return 'space';
  if (char === "'") return 'string';
  if (char === '"' || char === '`') return 'identifier';
  if (sql.startsWith('--', at) || sql.startsWith('/*', at)) return 'comment';
  if (WORD.test(char)) return 'word';
  if (SIGN.test(char)) return 'sign';
  const code = char.charCodeAt(0).toString(16).padStart(4, '0');
  throw new UnreadableSqlError(
    `The character ${JSON.stringify(char)} (U+${code}) at position ${at} is not taken outside of quotes.`,
  );
}

function endOfWord(sql: string, at: number): number {
  let end = at;
  while (end < sql.length && WORD.test(sql[end]!)) end += 1;
  return end;
}

function endOfComment(sql: string, at: number): number {
  if (sql.startsWith('--', at)) {
    const end = sql.indexOf('\n', at);
    return end === -1 ? sql.length : end + 1;
  }
  const end = sql.indexOf('*/', at + 2);
  if (end === -1) throw new UnreadableSqlError(`The comment at position ${at} has no end.`);
  return end + 2;
}

function readQuoted(sql: string, at: number): [text: string, end: number] {
  const quote = sql[at]!;
  let text = '';
  for (let i = at + 1; i < sql.length; i += 1) {
    const char = sql[i]!;
    if (char === '\0') break;
    if (char === '\\') {
      // An escape could spell a name that no check would recognize.
      if (quote !== "'")
        throw new UnreadableSqlError(`A "\\" inside the quoted name at position ${at} is not taken.`);
      i += 1;
      text += sql[i] ?? '';
    } else if (char !== quote) {
      text += char;
    } else if (sql[i + 1] === quote) {
      i += 1;
      text += quote;
    } else {
      return [text, i + 1];
    }
  }
  throw new UnreadableSqlError(`The quote at position ${at} has no end, or a NUL inside.`);
}
