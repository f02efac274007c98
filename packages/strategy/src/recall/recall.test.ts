import { tokenCounter } from '@palimpsest/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuseRanks } from './fuse-ranks.js';
import { passageOf } from './passage.js';
import { recallNote } from './recall-note.js';
import { trigramLikeness } from './trigrams.js';

const counter = tokenCounter(null);
const hit = (n: number, text: string) => ({
  id: `e${n}`,
  order: BigInt(n),
  source: 'user',
  text,
  handle: null,
});

describe('reciprocal rank fusion', () => {
  it('puts what two lists agree on before what one has first', () => {
    expect(
      fuseRanks([
        ['a', 'b', 'c'],
        ['b', 'd'],
      ]),
    ).toEqual(['b', 'a', 'd', 'c']);
  });

  it('has every id once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'))), (lists) => {
        const fused = fuseRanks(lists);
        expect(new Set(fused)).toEqual(new Set(lists.flat()));
        expect(fused).toHaveLength(new Set(fused).size);
      }),
    );
  });
});

describe('trigrams', () => {
  it('find a misspelt and an inflected word, and nothing where nothing is alike', () => {
    expect(trigramLikeness('reciept', 'the receipt is lost')).toBeGreaterThan(0.4);
    expect(trigramLikeness('замовлення', 'по замовленню 55')).toBeGreaterThan(0.6);
    expect(trigramLikeness('receipt', 'nothing at all')).toBeLessThan(0.2);
    expect(trigramLikeness('', 'x')).toBe(0);
  });
});

describe('a passage', () => {
  it('is the part of a long text that has the words asked for', () => {
    const text = `${'filler line\n'.repeat(300)}The deposit of 4,500 UAH is due.\n${'more filler\n'.repeat(300)}`;
    const passage = passageOf(text, 'when is the deposit due?');
    expect(passage).toContain('4,500 UAH');
    expect(passage.length).toBeLessThan(1300);
  });

  it('is the whole of a short text', () => {
    expect(passageOf('short', 'query')).toBe('short');
  });
});

describe('what is recalled', () => {
  it('stands in the order of the conversation, without what is shown, the best ones only', () => {
    const hits = [hit(9, 'nine'), hit(2, 'two'), hit(5, 'five'), hit(7, 'seven')];
    const note = recallNote(hits, new Set(['e2']), { cap: 500, top: 2 }, counter);
    expect(note?.text.split('\n').slice(1)).toEqual(['[5] user: five', '[9] user: nine']);
  });

  it('is within its cap and drops the lowest scores', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 12 }), fc.nat({ max: 900 }), (sizes, cap) => {
        const hits = sizes.map((size, n) => hit(n, 'word '.repeat(size)));
        const note = recallNote(hits, new Set(), { cap, top: 8 }, counter);
        if (note === null) return;
        expect(note.tokens).toBeLessThanOrEqual(cap);
        expect(note.tokens).toBe(counter.count(note.text) + 4);
      }),
    );
  });
});
