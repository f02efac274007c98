import { describe, expect, it } from 'vitest';
import { hold } from '../entry.js';
import type { Unit } from '../pair-calls.js';
import { stemsOf } from './stems.js';
import { weighUnits, type Weights } from './weigh-units.js';

const none: Weights = {
  recency: 0,
  similarity: 0,
  entities: 0,
  centrality: 0,
  correction: 0,
  threshold: 0,
  share: 0.2,
};

function said(texts: readonly string[]): Unit[] {
  return texts.map((text, n) => {
    const held = hold({
      id: `e${n}`,
      order: `${n}`,
      offset: `${n}`,
      kind: 'message',
      role: 'assistant',
      text,
      tokens: 10,
      original_tokens: 10,
      at: 0,
    });
    return { order: BigInt(n), entries: [held], tokens: 10 };
  });
}
function weigh(
  texts: readonly string[],
  weights: Partial<Weights>,
  more: { about?: string; corrected?: string[]; goals?: string[] } = {},
) {
  return weighUnits({
    units: said(texts),
    about: more.about ?? '',
    corrected: new Set(more.corrected),
    goals: new Set(more.goals),
    weights: { ...none, ...weights },
  }).map(({ weight }) => weight);
}

describe('the weight of a unit', () => {
  it('falls with age, but for goals, decisions and what was corrected', () => {
    const weights = weigh(
      ['hm', 'we decided so', 'hm', 'hm', 'hm'],
      { recency: 1 },
      { goals: ['e2'], corrected: ['e3'] },
    );
    expect(weights).toEqual([expect.closeTo(0.2), 1, 1, 1, 1]);
  });

  it('rises with likeness to what is asked, rare words before common ones, in any inflection', () => {
    const texts = ['order and order', 'the order 4471 замовленню', 'order', 'order'];
    const [common, rare] = weigh(texts, { similarity: 1 }, { about: 'order 4471 замовлення' });
    expect(rare).toBeGreaterThan(0.9);
    expect(common).toBeLessThan(0.4);
  });

  it('rises with the identifiers in it', () => {
    const [dense, bare] = weigh(['ORD-1 ORD-2 2024-05-01 a@b.co 500 EUR', 'nothing here'], { entities: 1 });
    expect([dense, bare]).toEqual([1, 0]);
  });

  it('rises where later units use what it was the first to name', () => {
    const [first, second] = weigh(['case CRM-88213', 'about CRM-88213', 'CRM-88213', 'CRM-88213'], {
      centrality: 1,
    });
    expect(first).toBeGreaterThan(second as number);
  });

  it('gains by a correction and is never above 1', () => {
    const [plain, corrected] = weigh(['a', 'b'], { entities: 1, correction: 0.4 }, { corrected: ['e1'] });
    expect([plain, corrected]).toEqual([0, 0.4]);
    expect(
      weigh(['ORD-1 ORD-2 ORD-3 ORD-4 ORD-5'], { entities: 1, correction: 5 }, { corrected: ['e0'] }),
    ).toEqual([1]);
  });
});

describe('stems', () => {
  it('are one for the forms of a word, whole for numbers, pairs where no spaces stand', () => {
    expect(stemsOf('Замовлення замовленню')).toEqual(new Set(['замов']));
    expect(stemsOf('ORD-4471 is')).toEqual(new Set(['ord-4471']));
    expect(stemsOf('東京都')).toEqual(new Set(['東京', '京都']));
  });
});
