import { describe, expect, it } from 'vitest';
import { splitStatements, tokenizeSql, UnreadableSqlError } from './tokenize-sql.js';

describe('tokenizeSql', () => {
  it('does not look for code inside strings and quoted names', () => {
    const kinds = tokenizeSql(`select 'it''s \\' -- x', "a;b" -- c;\n`).map((token) => token.kind);
    expect(kinds).toEqual(['word', 'string', 'sign', 'identifier', 'comment']);
  });

  it.each([
    "select 'open",
    'select `open',
    'select /* open',
    'select "a\0b"',
    'a $x$ b',
    '# c',
    'select ’x’',
    '"f\\x69le"',
  ])('refuses what can be read in two ways: %s', (sql) => {
    expect(() => tokenizeSql(sql)).toThrow(UnreadableSqlError);
  });
});

describe('splitStatements', () => {
  it('splits at semicolons that are code, and drops what is only a comment', () => {
    expect(splitStatements("-- top;\nselect ';' ;\n-- end\n; select 2 ")).toEqual([
      "-- top;\nselect ';'",
      'select 2',
    ]);
  });
});
