import { findGeneration, type Generation } from '@palimpsest/views';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildGeneration } from '../../packages/cli/src/replay/build-generation.js';
import { compareGenerations, meansOf } from '../../packages/cli/src/replay/compare-generations.js';
import { comparisonPage } from '../../packages/cli/src/replay/comparison-page.js';
import { comparisonTable } from '../../packages/cli/src/replay/comparison-table.js';
import { namedStrategy, type ReplayCase, replayCase, talk } from '../harness/replay-case.js';

const LIVE = 'name: live\nidentifiers: null\n';
const NARROW = 'name: narrow\nwindow: { pinned_first: 0, messages: 4 }\nidentifiers: null\n';

let at: ReplayCase;
beforeEach(async () => {
  at = await replayCase(LIVE);
  await at.append(talk(5, 6));
  await at.startServices();
  await at.settled();
});
afterEach(() => at.close());

async function compared(yaml: string, sample = 100) {
  const number = await buildGeneration(at.parts, namedStrategy(yaml));
  const generations = [await findGeneration(at.pool, 1), await findGeneration(at.pool, number)];
  return compareGenerations(at.pool, generations as [Generation, Generation], {
    budget: 2000,
    sample,
    now: 1_790_000_000_000,
  });
}

describe('the comparison of two generations', () => {
  it('finds nothing between a strategy and itself, and the same every time', async () => {
    const comparison = await compared(LIVE);
    expect(comparison.conversations).toHaveLength(5);
    for (const { a, b } of comparison.conversations) expect(b).toEqual(a);
    expect((await compared(LIVE, 3)).conversations).toEqual(comparison.conversations.slice(0, 3));
  });

  it('tells what a narrower window saves and what it forgets', async () => {
    const comparison = await compared(NARROW);
    const [live, narrow] = [meansOf(comparison.conversations, 'a'), meansOf(comparison.conversations, 'b')];
    expect(narrow.tokens).toBeLessThan(live.tokens);
    expect(narrow.identifiers).toBeLessThan(live.identifiers);
    const table = comparisonTable(comparison);
    for (const part of ['narrow@', 'tokens', 'identifiers kept', 'stable prefix', 'acme/c1']) {
      expect(table).toContain(part);
    }
    const page = comparisonPage(comparison);
    expect(page.match(/<circle /g)).toHaveLength(3 * 5);
    expect(page).not.toMatch(/NaN|undefined|https?:/);
  });
});
