import { currentTask, encodeState, readState, writeState } from '@palimpsest/strategy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, strategyOf } from '../harness/fold-in-memory.js';
import { histories, History } from '../harness/histories.js';

const strategy = strategyOf('name: s\nslots: { state: 600 }\n');
const shownState = (history: History, budget = 8000): Record<string, unknown> | null => {
  const { pieces } = contextOf(foldEvents(history.events, strategy), strategy, budget);
  const note = pieces.find((piece) => piece.kind === 'note');
  if (note?.kind !== 'note') return null;
  return JSON.parse(note.text.slice(note.text.indexOf('\n') + 1)) as Record<string, unknown>;
};

describe('the working state', () => {
  it('is what the patches of the current task make of it, before the newest message', () => {
    const history = new History();
    history.message('user', 'find me a flat');
    history.patch('t1', { goal: 'a flat in Lviv', decisions: ['two rooms'], progress: 'started' });
    history.patch('t1', {
      progress: null,
      decisions: { add: ['up to 15,000 UAH'] },
      next_action: 'ask for dates',
    });
    history.phase('t1', 'search');
    history.message('user', 'and now?');
    expect(shownState(history)).toEqual({
      goal: 'a flat in Lviv',
      phase: 'search',
      decisions: ['two rooms', 'up to 15,000 UAH'],
      next_action: 'ask for dates',
    });
    const { messages } = contextOf(foldEvents(history.events, strategy), strategy, 8000);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system', 'user']);
  });

  it('is that of the task spoken of last', () => {
    const history = new History();
    history.patch('t1', { goal: 'one' });
    history.patch('t2', { goal: 'two' });
    history.message('user', 'hi');
    expect(shownState(history)).toEqual({ goal: 'two' });
    history.patch('t1', { progress: 'half' });
    expect(shownState(history)).toEqual({ goal: 'one', progress: 'half' });
  });

  it('keeps numbers as they were written', () => {
    const history = new History();
    history.patch('t', '{"order":12345678901234567890,"rate":1.10}');
    history.message('user', 'hi');
    const { messages } = contextOf(foldEvents(history.events, strategy), strategy, 8000);
    expect(messages[0]?.content).toContain('"order":12345678901234567890');
    expect(messages[0]?.content).toContain('"rate":1.10');
  });

  it('says of every field which messages it came from', () => {
    const history = new History();
    history.patch('t', { goal: 'g', decisions: { add: ['a'] } }, ['m1']);
    const second = history.patch('t', { decisions: { add: ['b'] } });
    const fields = currentTask(foldEvents(history.events, strategy).state)?.fields;
    expect(fields?.map(({ name, sources }) => [name, sources])).toEqual([
      ['goal', ['m1']],
      ['decisions', ['m1', second]],
    ]);
  });

  it('is not shown by a strategy without a slot for it', () => {
    const history = new History();
    history.patch('t', { goal: 'g' });
    history.message('user', 'hi');
    const bare = strategyOf('name: bare\n');
    expect(contextOf(foldEvents(history.events, bare), bare, 8000).pieces).toHaveLength(1);
  });

  it('leaves the start of the context alone when it changes', () => {
    const history = new History();
    for (let turn = 0; turn < 20; turn += 1) {
      history.message('user', `turn ${turn}`);
      history.patch('t', { progress: `turn ${turn} done` });
    }
    const { stablePieces, pieces } = contextOf(foldEvents(history.events, strategy), strategy, 8000);
    expect(pieces).toHaveLength(21);
    expect(stablePieces).toBe(18);
  });

  it('is the same whatever order its words arrive in', () => {
    fc.assert(
      fc.property(
        histories({ pins: false, control: true, seq: true, maxNotes: 20 }).chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          const sorted = (list: typeof events) =>
            [...foldEvents(list, strategy).state.tasks].toSorted(([a], [b]) => (a < b ? -1 : 1));
          expect(sorted(shuffled)).toEqual(sorted(events));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keeps four tasks and no more in the row, and one that comes back is whole', () => {
    const history = new History();
    for (let task = 0; task < 7; task += 1) history.patch(`t${task}`, { goal: `goal ${task}` });
    const { state } = foldEvents(history.events, strategy);
    expect([...state.tasks.keys()]).toEqual(['t3', 't4', 't5', 't6']);
    history.patch('t0', { progress: 'back' });
    const { state: later } = foldEvents(history.events, strategy);
    expect(currentTask(later)?.fields?.map(({ json }) => json)).toEqual(['"goal 0"', '"back"']);
  });

  it('is written by builds before it as they wrote it, where there is none', () => {
    const history = new History();
    history.message('user', 'hi');
    const { state } = foldEvents(history.events, strategy);
    expect(writeState(state)).toMatch(/^\{"v":1,/);
    expect(writeState(state)).not.toContain('tasks');
    history.patch('t', { goal: 'g' });
    const { state: patched } = foldEvents(history.events, strategy);
    expect(writeState(patched)).toMatch(/^\{"v":2,/);
    expect(encodeState(readState(writeState(patched)))).toEqual(encodeState(patched));
  });
});
