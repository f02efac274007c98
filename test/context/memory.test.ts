import type { ChatEvent } from '@palimpsest/events';
import { type Assembled, FloorError, pairCalls } from '@palimpsest/strategy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf, type Folded, foldEvents, sentTokens, strategyOf } from '../harness/fold-in-memory.js';
import { histories, History } from '../harness/histories.js';
import { factsOf, leavesOf } from '../harness/leaves-of.js';
import { openAiViolations } from '@palimpsest/strategy/testing';

const strategy = strategyOf(
  'name: memory\nwindow: { pinned_first: 2, inline_tokens: 500 }\nsummary: { block: 6, keep_live: 4, max_tokens: 150 }\nfacts: { max_tokens: 60 }\n',
);

/** Histories of a producer that numbers its events, some of which arrive later than they should. */
const lateHistories = fc
  .tuple(
    histories({ pins: true, seq: true, maxNotes: 50 }),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 40 })), { maxLength: 3 }),
  )
  .map(([events, moves]) => {
    const moved = [...events];
    for (const [from, by] of moves) {
      const [event] = moved.splice(from % moved.length, 1);
      if (event !== undefined) moved.splice((from % (moved.length + 1)) + by, 0, event);
    }
    return moved;
  });
const anyHistory = fc.oneof(histories({ pins: true, maxNotes: 50 }), lateHistories);

describe('a context with summaries and facts', () => {
  it('shows an event that came after its block was summarized, until a later summary has seen it', () => {
    const history = new History('c', 'acme', true);
    for (let turn = 0; turn < 60; turn += 1) {
      history.message(turn % 2 === 0 ? 'user' : 'assistant', `turn ${turn} ${'word '.repeat(30)}`);
    }
    const [late] = history.events.splice(8, 1);
    history.events.push(late as ChatEvent);
    const folded = foldEvents(history.events, strategy);
    const leaves = leavesOf(history.events).slice(0, 3);
    const text = (seen: bigint): string => {
      const known = leaves.map((leaf) => ({ ...leaf, seen: leaf.seen > seen ? leaf.seen : seen }));
      return JSON.stringify(contextOf(folded, strategy, 1500, { leaves: known }).messages);
    };
    expect(text(0n)).toContain('SUMMARY<6-');
    expect(text(0n)).toContain('turn 8 ');
    expect(text(0n)).not.toContain('turn 9 ');
    expect(text(59n)).not.toContain('turn 8 ');
  });

  it('shows, summarizes or names every event, and none both as it is and summarized', () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom(600, 1500, 4000), (events, budget) => {
        const folded = foldEvents(events, strategy);
        const context = contextOrFloor(events, folded, budget);
        if (context === null) return;
        expect(openAiViolations(context.messages)).toEqual([]);
        expect(sentTokens(context.messages)).toBeLessThanOrEqual(context.tokens.total);
        expect(context.tokens.total).toBeLessThanOrEqual(budget);
        const slots = Object.values(context.tokens.slots).reduce((sum, tokens) => sum + tokens, 0);
        expect(slots).toBe(context.tokens.total);

        const shown = shownIds(context);
        expect(new Set(shown).size).toBe(shown.length);
        expect(countOf(context)).toBe(folded.entries.length - shown.length);
        expect(twice(events, folded, context)).toEqual([]);
        expect(split(events, folded, context)).toEqual([]);
        expect(wrongRanges(events, context)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('always has rules, pins, the first message of the user and the newest unit', () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom(1500, 4000), (events, budget) => {
        const folded = foldEvents(events, strategy);
        const context = contextOrFloor(events, folded, budget);
        if (context === null) return;
        const byId = new Map(
          context.pieces.flatMap((piece) =>
            piece.kind === 'unit' ? piece.unit.entries.map(({ entry }) => [entry.id, entry] as const) : [],
          ),
        );
        const said = folded.entries.filter(
          ({ entry }) =>
            entry.kind === 'message' &&
            (entry.text.trim() !== '' || entry.parts?.some((part) => part.kind === 'image') === true),
        );
        const rules = said.filter(({ entry }) => entry.role === 'system');
        for (const { entry } of rules.slice(-10)) expect(byId.has(entry.id)).toBe(true);
        const pinned = said.filter(({ entry }) => folded.state.pins.get(entry.id)?.pinned === true);
        for (const { entry } of pinned) {
          const original = folded.originals.get(entry.artifact ?? '') ?? entry.text;
          expect(byId.get(entry.id)?.text).toBe(original);
        }
        const user = said.find(({ entry }) => entry.role === 'user');
        const taken = [...rules, ...pinned].reduce((sum, { entry }) => sum + entry.original_tokens, 0);
        const room = budget - taken - 1000;
        if (user !== undefined && user.entry.artifact === undefined && user.entry.tokens <= room / 2) {
          expect(byId.get(user.entry.id)?.text).toBe(user.entry.text);
        }
        const units = pairCalls(folded.entries).units.filter(
          (unit) => unit.entries.length > 1 || said.includes(unit.entries[0] as (typeof said)[number]),
        );
        for (const { entry } of units.at(-1)?.entries ?? []) expect(byId.has(entry.id)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

function contextOrFloor(events: readonly ChatEvent[], folded: Folded, budget: number) {
  try {
    return contextOf(folded, strategy, budget, { leaves: leavesOf(events), facts: factsOf(events) });
  } catch (error) {
    if (error instanceof FloorError) return null;
    throw error;
  }
}

function shownIds(context: Assembled): string[] {
  return context.pieces.flatMap((piece) =>
    piece.kind === 'unit' ? piece.unit.entries.map((held) => held.entry.id) : [],
  );
}

/** Events that `left_out` names one by one or counts. */
function countOf(context: Assembled): number {
  if (context.leftOut.some((one) => one.why === 'not listed one by one')) return NaN;
  return context.leftOut
    .filter((one) => !one.what.startsWith('part of'))
    .reduce((sum, one) => sum + Number(/^(\d+) events/.exec(one.what)?.[1] ?? 1), 0);
}

/** Events that stand in a written summary and are shown as well. */
function twice(
  events: readonly ChatEvent[],
  folded: Folded,
  context: ReturnType<typeof contextOf>,
): string[] {
  const written = leavesOf(events).filter((leaf) => JSON.stringify(context.messages).includes(leaf.text));
  const stays = stayingIds(folded);
  const found: string[] = [];
  for (const piece of context.pieces) {
    if (piece.kind !== 'unit') continue;
    const { entries } = piece.unit;
    if (entries.some(({ entry }) => stays.has(entry.id))) continue;
    const known = entries.every(({ entry, order }) =>
      written.some((leaf) => leaf.from <= order && order <= leaf.to && BigInt(entry.offset) <= leaf.seen),
    );
    if (known) found.push(...entries.map(({ entry }) => entry.id));
  }
  return found;
}

/** Leaves of which one part is shown as it is and the other is neither shown nor summarized. */
function split(
  events: readonly ChatEvent[],
  folded: Folded,
  context: ReturnType<typeof contextOf>,
): string[] {
  const shown = new Set(shownIds(context));
  const stays = stayingIds(folded);
  const named = new Set(context.leftOut.map((one) => one.handle));
  return leavesOf(events).flatMap((leaf) => {
    const units = pairCalls(folded.entries).units.filter(({ entries }) =>
      entries.every(
        ({ entry, order }) =>
          leaf.from <= order &&
          order <= leaf.to &&
          BigInt(entry.offset) <= leaf.seen &&
          !stays.has(entry.id) &&
          !(named.has(entry.id) && !shown.has(entry.id)) &&
          (entry.kind !== 'message' || entry.text.trim() !== '' || entry.parts !== undefined),
      ),
    );
    const parts = new Set(units.map((unit) => unit.entries.every(({ entry }) => shown.has(entry.id))));
    return parts.size > 1 ? [leaf.text] : [];
  });
}

/** Ids of first messages, rules and pins. */
function stayingIds(folded: Folded): Set<string | undefined> {
  const messages = folded.entries.filter(({ entry }) => entry.kind === 'message');
  const pins = [...folded.state.pins.values()].filter((pin) => pin.pinned);
  return new Set(
    [
      ...messages.slice(0, 2),
      ...messages.filter(({ entry }) => entry.role === 'system'),
      messages.find(
        ({ entry }) => entry.role === 'user' && (entry.text.trim() !== '' || entry.parts !== undefined),
      ),
      ...pins.flatMap((pin) => pin.held),
    ].map((held) => held?.entry.id),
  );
}

/** Summarized ranges that `left_out` tells of and that no summary in the context covers. */
function wrongRanges(events: readonly ChatEvent[], context: ReturnType<typeof contextOf>): string[] {
  const written = leavesOf(events).filter((leaf) => JSON.stringify(context.messages).includes(leaf.text));
  return context.leftOut.flatMap(({ why }) =>
    [...why.matchAll(/(\d+) to (\d+)/g)].flatMap(([range, from, to]) =>
      written.some((leaf) => leaf.from === BigInt(from as string)) &&
      written.some((leaf) => leaf.to === BigInt(to as string))
        ? []
        : [range],
    ),
  );
}
