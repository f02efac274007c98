import { describe, expect, it } from 'vitest';
import { emptyState } from './conversation-state.js';
import { regionOf } from './edge.js';
import { type Entry, type Held, hold } from './entry.js';
import { foldEntry } from './fold-window.js';
import { pairCalls } from './pair-calls.js';
import { parseStrategy } from './strategy.js';

const { settings } = parseStrategy('name: s\nwindow: { pinned_first: 0, inline_tokens: 500 }\n', 's.yaml');
type Note = ['m'] | ['c' | 'r', string, string?];

function entriesOf(notes: readonly Note[]): Held[] {
  return notes.map(([kind, call_id, step_id], index) => {
    const entry: Entry = {
      id: `e${index}`,
      order: String(index),
      offset: String(index),
      kind: kind === 'm' ? 'message' : kind === 'c' ? 'tool_call' : 'tool_result',
      text: 'x',
      type: 'text',
      tokens: 50,
      original_tokens: 50,
      at: 0,
    };
    if (kind === 'm') entry.role = 'user';
    if (call_id !== undefined) entry.call_id = call_id;
    if (step_id !== undefined) entry.step_id = step_id;
    return hold(entry);
  });
}

function messages(count: number): Note[] {
  return Array.from({ length: count }, (): Note => ['m']);
}

/** Units by the ids of their entries, for every number of entries read beside the window. */
function unitsByReading(notes: readonly Note[]): string[][] {
  const entries = entriesOf(notes);
  const state = emptyState();
  for (const held of entries) foldEntry(state, held, settings);
  const evicted = entries.length - state.window.length;
  return Array.from({ length: evicted + 1 }, (_, read) => {
    const region = regionOf(state, entries.slice(evicted - read, evicted));
    return pairCalls(region.entries, region.edge).units.map((unit) =>
      unit.entries.map((held) => held.entry.id).join('+'),
    );
  });
}

describe('the edge of what is held', () => {
  it('never splits a parallel step, wherever it lies', () => {
    const notes = Array.from({ length: 8 }, (_, turn): Note[] => [
      ['c', `a${turn}`, `s${turn}`],
      ['c', `b${turn}`, `s${turn}`],
      ['r', `b${turn}`],
      ['r', `a${turn}`],
    ]).flat();
    for (let length = 20; length <= notes.length; length += 1) {
      for (const unit of unitsByReading(notes.slice(0, length)).flat()) {
        expect(unit.split('+')).toHaveLength(4);
      }
    }
  });

  it('never splits calls that were made together without a step id', () => {
    const notes = Array.from({ length: 8 }, (_, turn): Note[] => [
      ['c', `a${turn}`],
      ['c', `b${turn}`],
      ['r', `b${turn}`],
      ['r', `a${turn}`],
    ]).flat();
    for (let length = 20; length <= notes.length; length += 4) {
      for (let cut = 0; cut < 4; cut += 1) {
        for (const unit of unitsByReading([...notes.slice(0, length), ...messages(cut)]).flat()) {
          if (unit.includes('+')) expect(unit.split('+')).toHaveLength(4);
        }
      }
    }
  });

  it('lets a step begin after a message though an earlier one had its id', () => {
    const step: Note[] = [
      ['c', 'a', 's'],
      ['r', 'a'],
    ];
    const notes = [...step, ...messages(1), ['c', 'b', 's'], ['r', 'b'], ...messages(8)] as Note[];
    expect(unitsByReading(notes)[0]).toContain('e3+e4');
  });

  it('keeps a call without a step id whose message before it was the last to leave', () => {
    const turn: Note[] = [['m'], ['c', 'a'], ['r', 'a']];
    const notes = [...messages(4), ...turn, ...messages(8)] as Note[];
    expect(unitsByReading(notes)[0]).toContain('e5+e6');
  });

  it('gives no call the result of an earlier one with its id', () => {
    const notes: Note[] = [['c', 'x'], ...messages(12), ['r', 'x'], ...messages(12), ['c', 'x']];
    for (const units of unitsByReading(notes).slice(0, -1)) {
      expect(units.filter((unit) => unit.includes('+'))).toEqual([]);
    }
  });

  it('uses a step that begins anew, with and without step ids', () => {
    const notes = Array.from({ length: 12 }, (_, turn): Note[] => [
      ['c', `a${turn}`],
      ['r', `a${turn}`],
    ]).flat();
    const counts = unitsByReading(notes).map((units) => units.length);
    expect(counts.at(-1)).toBe(12);
    expect(counts.at(-3)).toBeGreaterThanOrEqual(10);
  });
});
