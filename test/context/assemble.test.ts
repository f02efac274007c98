import type { ChatEvent } from '@palimpsest/events';
import { FloorError, readState, writeState } from '@palimpsest/strategy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, sentTokens, strategyOf } from '../harness/fold-in-memory.js';
import { histories } from '../harness/histories.js';
import { openAiViolations } from '@palimpsest/strategy/testing';

const strategies = {
  default: strategyOf('name: default\nsummary: {}\nfacts: {}\n'),
  sliding: strategyOf('name: sliding\nwindow: { pinned_first: 3, messages: 20 }\n'),
  narrow: strategyOf(
    'name: narrow\nwindow: { pinned_first: 1, messages: 4, inline_tokens: 500 }\ncut: { when: always, tool_result_tokens: 64 }\n',
  ),
};
const budgets = [300, 2000, 4000, 8000, 32_000];

describe('a context of any history, at any budget', () => {
  for (const [name, strategy] of Object.entries(strategies)) {
    it(`is valid for the provider and never over the budget (${name})`, () => {
      fc.assert(
        fc.property(
          histories({ pins: true, control: true }),
          fc.constantFrom(...budgets),
          (events, budget) => {
            const context = contextOrFloor(events, budget, strategy);
            if (context === null) return;
            expect(openAiViolations(context.messages)).toEqual([]);
            expect(sentTokens(context.messages)).toBeLessThanOrEqual(budget);
            expect(context.tokens.total).toBeLessThanOrEqual(budget);
            expect(sentTokens(context.messages)).toBeLessThanOrEqual(context.tokens.total);
          },
        ),
        { numRuns: 150 },
      );
    });
  }

  it('never refuses a budget of 2,000 where nothing is pinned', () => {
    fc.assert(
      fc.property(histories({ pins: false }), (events) => {
        contextOf(foldEvents(events, strategies.default), strategies.default, 2000);
      }),
      { numRuns: 150 },
    );
  });

  it('survives writing and reading the state', () => {
    fc.assert(
      fc.property(histories({ pins: true, control: true }), (events) => {
        const { state } = foldEvents(events, strategies.default);
        const json = writeState(state);
        expect(writeState(readState(json))).toBe(json);
      }),
      { numRuns: 100 },
    );
  });

  it('has the same state for every order of arrival where the producer gives the order', () => {
    fc.assert(
      fc.property(
        histories({ pins: true, control: true, seq: true, maxNotes: 25 }).chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          const small = strategyOf('name: small\nwindow: { pinned_first: 2, inline_tokens: 500 }\n');
          // Offsets and what is remembered as late tell when something came: the rest must not.
          const offsetless = (list: readonly ChatEvent[]): string =>
            writeState({ ...foldEvents(list, small).state, late: [] }).replaceAll(
              /"offset":"\d+"/g,
              '"offset":""',
            );
          expect(offsetless([...shuffled, ...shuffled])).toBe(offsetless(events));
        },
      ),
      { numRuns: 150 },
    );
  });
});

function contextOrFloor(events: ChatEvent[], budget: number, strategy: (typeof strategies)['default']) {
  try {
    return contextOf(foldEvents(events, strategy), strategy, budget);
  } catch (error) {
    if (error instanceof FloorError) return null;
    throw error;
  }
}
