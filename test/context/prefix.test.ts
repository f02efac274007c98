import type { ChatEvent } from '@palimpsest/events';
import { FloorError, formatOpenAi } from '@palimpsest/strategy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf, counter, foldEvents, foldingOf, strategyOf } from '../harness/fold-in-memory.js';
import { histories, History } from '../harness/histories.js';
import { leavesOf } from '../harness/leaves-of.js';

const strategy = strategyOf('name: default\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n');

describe('the prefix of a context', () => {
  it.each([4000, 8000])(
    'stays for three quarters of each context of a long history (budget %i)',
    (budget) => {
      const { events } = longHistory(40_000);
      const folding = foldingOf(strategy);
      let before = '';
      const shares: number[] = [];
      for (const event of events) {
        folding.add(event);
        const { messages } = contextOf(folding.folded(), strategy, budget);
        const now = JSON.stringify(messages).slice(0, -1);
        if (before !== '') shares.push(common(before, now) / before.length);
        before = now;
      }
      expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.75);
    },
  );

  it('is told as it is: what the context without the newest unit began with', () => {
    fc.assert(
      fc.property(
        histories({ pins: false, seq: false, maxNotes: 50 }),
        fc.constantFrom(400, 1500, 4000),
        fc.boolean(),
        (events, budget, withLeaves) => {
          const now = contextOrNull(events, budget, withLeaves);
          if (now === null) return;
          const newest = now.pieces.at(-1);
          const first = newest?.kind === 'unit' ? Number(newest.unit.order) : events.length;
          const before = contextOrNull(events.slice(0, first), budget, withLeaves);
          const pieces = before?.pieces ?? [];
          let told = 0;
          for (const [index, piece] of now.pieces.entries()) {
            const [ours, theirs] = [formatOpenAi([piece]), formatOpenAi(pieces.slice(index, index + 1))];
            if (JSON.stringify(ours) !== JSON.stringify(theirs)) break;
            told += piece.kind === 'unit' ? piece.unit.tokens : piece.tokens;
          }
          expect(now.stablePrefixTokens).toBe(told);
        },
      ),
      { numRuns: 150 },
    );
  });
});

function contextOrNull(events: readonly ChatEvent[], budget: number, withLeaves: boolean) {
  const leaves = withLeaves ? leavesOf(events) : [];
  try {
    return contextOf(foldEvents(events, strategy), strategy, budget, { leaves });
  } catch (error) {
    if (error instanceof FloorError) return null;
    throw error;
  }
}

/** Turns of a support agent with results of all sizes, from a fixed seed. */
function longHistory(tokens: number): History {
  const history = new History();
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((seed / 2 ** 32) * below);
  };
  history.message('system', 'You help customers with their orders.');
  for (let turn = 0, sum = 0; sum < tokens; turn += 1) {
    const rows = Array.from({ length: 1 + next(25) }, () => ({
      order: `ORD-${10_000 + next(90_000)}`,
      sum: next(900),
    }));
    const result = JSON.stringify({ rows });
    const text = `please check order ${turn} `.repeat(1 + next(12));
    history.message('user', text);
    history.call(`c${turn}`, 'find_orders', `{"n":${turn}}`);
    history.result(`c${turn}`, result);
    history.message('assistant', text);
    sum += counter.count(result) + 2 * counter.count(text) + 40;
  }
  return history;
}

function common(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
