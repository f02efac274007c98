import { describe, expect, it } from 'vitest';
import { formatNamed, splitFormat } from './query-format.js';

describe('the format of a query', () => {
  it.each([
    ['select 1 format JSON', 'select 1 ', 'JSON'],
    ['select 1\nFORMAT JSONEachRow;', 'select 1\n', 'JSONEachRow'],
    ['select 1 format TSV -- as text', 'select 1 ', 'TSV'],
    ["select 'a format JSON'", "select 'a format JSON'", null],
    ['select format', 'select format', null],
    ['select 1 as format, 2 as JSON', 'select 1 as format, 2 as JSON', null],
    ['select 1 /* format JSON */', 'select 1 /* format JSON */', null],
  ])('of %s', (sql, query, format) => {
    expect(splitFormat(sql)).toEqual({ query, format });
  });

  it('is found by its name in any case, and by its short one', () => {
    expect(formatNamed('jsoneachrow')).toBe('JSONEachRow');
    expect(formatNamed('TSVWithNames')).toBe('TabSeparatedWithNames');
    expect(formatNamed('Native')).toBeNull();
  });
});
