import { tokenCounter } from '@palimpsest/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateNote } from './state-text.js';
import { foldTask, type TaskState } from './task-state.js';

const counter = tokenCounter(null);
const json = {
  parse: JSON.parse as (text: string) => unknown,
  write: JSON.stringify as (value: unknown) => string,
};

function stateOf(...patches: object[]): TaskState {
  return foldTask(
    patches.map((patch, index) => ({
      id: `e${index}`,
      task: 't',
      order: BigInt(index),
      patch: JSON.stringify(patch),
      sources: [],
    })),
    json,
  );
}
const long = (word: string): string => `${word} `.repeat(150).trim();

function shownOf(state: TaskState, cap: number): Record<string, unknown> {
  const text = stateNote(state, cap, counter)?.text ?? '\n{}';
  return JSON.parse(text.slice(text.indexOf('\n') + 1)) as Record<string, unknown>;
}

describe('the working state in a context', () => {
  it('stands in the order in which it is read, whatever order it came in', () => {
    const state = stateOf({ zeta: 1, next_action: 'ask' }, { goal: 'g' }, { phase: 'p' });
    expect(Object.keys(shownOf(state, 500))).toEqual(['goal', 'phase', 'next_action', 'zeta']);
  });

  it('folds the fields that were changed longest ago first', () => {
    const state = stateOf({ goal: 'find it' }, { old: long('old') }, { recent: long('recent') });
    const shown = shownOf(state, 260);
    expect(shown['goal']).toBe('find it');
    expect(shown['recent']).toBe(long('recent'));
    expect(String(shown['old']).length).toBeLessThan(long('old').length);
    expect(shown).toHaveProperty('old');
  });

  it('is JSON within its cap, message included, whatever the state and the cap', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue()), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 400 }),
        (patches, cap) => {
          const note = stateNote(stateOf(...patches), cap, counter);
          if (note === null) return;
          expect(note.tokens).toBeLessThanOrEqual(cap);
          expect(note.tokens).toBe(counter.count(note.text) + 4);
          expect(() => JSON.parse(note.text.slice(note.text.indexOf('\n') + 1)) as unknown).not.toThrow();
        },
      ),
      { numRuns: 300 },
    );
  });
});
