import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPatchOf, mergePatch, patchList } from './merge-patch.js';

/** The examples of RFC 7396, appendix A. */
const examples: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('a merge patch', () => {
  it.each(examples)('of %j by %j is %j, as RFC 7396 says', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('changes neither target nor patch, and applied twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  it('gives no prototype away', () => {
    mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a patch of a list', () => {
  it('adds what is not there and removes what is', () => {
    const patch = listPatchOf({ add: ['b', { id: 1 }], remove: ['a'] });
    expect(patchList(['a', 'b'], patch as NonNullable<typeof patch>, JSON.stringify)).toEqual([
      'b',
      { id: 1 },
    ]);
  });

  it('is an object with lists to add or remove and nothing else', () => {
    for (const other of [{}, { add: 'a' }, { add: [], more: 1 }, ['a'], null])
      expect(listPatchOf(other)).toBeNull();
  });
});
