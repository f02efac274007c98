import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath, PathError } from './parse-path.js';
import { readFields } from './read-fields.js';

const ORDERS = `{"orders":[{"id":9007199254740993,"total":1.50,"odd name":{"a.b":1}},{"id":2,"total":2e3,"lines":[{"id":7}]}],"next":null}`;
const bounds = { maxValues: 100, maxChars: 10_000 };
const valuesAt = (path: string, text = ORDERS) =>
  readFields(text, [path], bounds)?.[0]?.values.map(({ path: place, json }) => [place, json]);

describe('readFields', () => {
  it.each([
    ['$.orders[0].total', [['$.orders[0].total', '1.50']]],
    [
      'orders[*].id',
      [
        ['$.orders[0].id', '9007199254740993'],
        ['$.orders[1].id', '2'],
      ],
    ],
    [
      '$..id',
      [
        ['$.orders[0].id', '9007199254740993'],
        ['$.orders[1].id', '2'],
        ['$.orders[1].lines[0].id', '7'],
      ],
    ],
    ['orders[-1].total', [['$.orders[1].total', '2e3']]],
    ['orders[0:1].id', [['$.orders[0].id', '9007199254740993']]],
    [`orders[0]["odd name"]['a.b']`, [['$.orders[0]["odd name"]["a.b"]', '1']]],
    ['next', [['$.next', 'null']]],
    ['$', [['$', ORDERS]]],
    ['orders[9]', []],
    ['orders.id', []],
  ])('reads %s, numbers as written', (path, expected) => {
    expect(valuesAt(path)).toEqual(expected);
  });

  it('reads each line of NDJSON as an item', () => {
    const lines = '{"id":1}\n{"id":2}\n{"id":3}';
    expect(valuesAt('[*].id', lines)).toEqual([
      ['$[0].id', '1'],
      ['$[1].id', '2'],
      ['$[2].id', '3'],
    ]);
    expect(valuesAt('$[-1].id', lines)).toEqual([['$[2].id', '3']]);
    expect(valuesAt('$..id', lines)).toHaveLength(3);
  });

  it('takes the last of several members with one name, as JSON.parse does', () => {
    expect(valuesAt('a', '{"a":1,"a":2}')).toEqual([['$.a', '2']]);
  });

  it('says what a value is that is too large, and how many values there are', () => {
    const text = JSON.stringify({ big: Array.from({ length: 5_000 }, (_, at) => at), id: 7 });
    const [big, items, id] = readFields(text, ['big', 'big[*]', 'id'], { maxValues: 3, maxChars: 100 }) ?? [];
    expect(big?.values).toEqual([
      { path: '$.big', json: null, omitted: expect.stringContaining('array of 5,000 items') },
    ]);
    expect(items).toMatchObject({ total: 5_000, values: [{ json: '0' }, { json: '1' }, { json: '2' }] });
    expect(id?.values[0]?.json).toBe('7');
  });

  it('answers null for what is no JSON', () => {
    expect(readFields('plain text', ['a'], bounds)).toBeNull();
  });

  it.each(['a b', 'a[', 'a[1', 'a[?(@.x)]', '.', 'a..', '["x]', 'a[1:2:3]', `${'a.'.repeat(40)}b`])(
    'refuses %s',
    (path) => {
      expect(() => parsePath(path)).toThrow(PathError);
    },
  );

  it('gives for every path it writes the value that lies there', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const all = readFields(text, ['$..*'], { maxValues: 50, maxChars: 100_000 })?.[0]?.values ?? [];
        for (const { path, json } of all) {
          expect(readFields(text, [path], bounds)?.[0]?.values).toEqual([{ path, json, omitted: null }]);
        }
      }),
      { seed: 5, numRuns: 100 },
    );
  });

  it('does not multiply work with steps', () => {
    const text = '['.repeat(5_000) + ']'.repeat(5_000);
    const start = performance.now();
    const [field] = readFields(text, [`$${'..*'.repeat(10)}`], bounds) ?? [];
    expect(field?.total).toBeLessThan(5_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
