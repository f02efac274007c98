import type { AssembleInput, Chosen, Piece } from './assemble.js';
import { chooseTail } from './choose-tail.js';
import { fitUnit } from './fit-unit.js';
import { fixFront, type Front } from './fix-front.js';
import { FloorError } from './floor-error.js';
import type { Gathered } from './gather-units.js';
import { looksBack, type Memory, memoryRoom, type SummaryLeaf, writeMemory } from './memory-text.js';
import { pairCalls, type Unit } from './pair-calls.js';
import type { CallPlan } from './slots/plan-call.js';
import { callTokens, divideUnit, NO_TAIL_CAPS, type TailCaps, tailTokens } from './unit-shares.js';
import { keepByWeight, type Weighed } from './weights/keep-by-weight.js';

/** Chooses what is sent when not everything fits: pins, rules and first messages, memory, the tail, the newest unit. */
export function select(input: AssembleInput, gathered: Gathered, plan: CallPlan): Chosen {
  const newest = gathered.units[gathered.units.length - 1];
  if (newest === undefined) {
    return { pieces: [], memory: null, warnings: [], tailStart: null, short: gathered.mayGrow };
  }
  const front = fixFront(input, gathered, plan.room);
  const caps = plan.caps.divide(front.room);
  const candidates = gathered.units.filter(
    (unit) =>
      unit !== newest && gathered.inRegion(unit) && !front.sources.has(unit) && !gathered.outside.has(unit),
  );
  // Units are held to their shares only where that makes room for others.
  const wanted = memoryRoom(input, front.room, caps.memory);
  const everything = sum(candidates) + newest.tokens + wanted.texts + wanted.identifiers;
  const isRoomy = !gathered.mayGrow && everything <= front.room && withinCaps([...candidates, newest], caps);
  const room = isRoomy ? Number.POSITIVE_INFINITY : front.room;
  const tailCaps = isRoomy ? NO_TAIL_CAPS : caps;
  const newestTokens = gathered.isPinned(newest) ? newest.tokens : tailTokens(newest, room, tailCaps);
  const space = front.room - newestTokens;
  const bare = chooseTail(input, gathered, candidates, { room, space, caps: tailCaps });
  let tail = bare;
  let memory: Memory | null = null;
  let late: Unit[] = [];
  let unread = false;
  let weighed: Weighed = { units: [], sources: new Set() };
  if (!gathered.inWindow || tail.units.length < candidates.length || tail.stubbed.length > 0) {
    const { weights } = input.settings;
    const forWeighed =
      weights === undefined ? 0 : Math.floor(Math.min(space, front.room * weights.share, caps.memory / 2));
    const texts = Math.max(0, Math.min(space - forWeighed, wanted.texts));
    const identifiers = Math.max(0, Math.min(space - forWeighed - texts, wanted.identifiers));
    const reserved = texts + identifiers + forWeighed;
    if (reserved > 0)
      tail = chooseTail(input, gathered, candidates, { room, space: space - reserved, caps: tailCaps });
    const border = tail.start ?? newest.order;
    let uncovered = uncoveredBefore(border, candidates, input);
    if (looksBack(input.settings)) {
      unread = uncovered.length < LOOK_BACK && gathered.mayGrow;
      uncovered = uncovered.slice(-LOOK_BACK);
    }
    weighed = keepByWeight(input, gathered, uncovered, forWeighed);
    const gone = uncovered.filter((unit) => !weighed.sources.has(unit));
    memory = writeMemory(input, border, { texts, identifiers }, { gone, stubbed: tail.stubbed });
    late = lateUnits(input, gathered, memory.written, border);
  }
  let tailStart = tail.start ?? newest.order;
  const tokens = memory === null ? 0 : tokensOf(memory);
  let left = front.room - tokens - sum(tail.units) - sum(weighed.units);
  const lateShown = late.filter((unit) => {
    if (unit.tokens > left - newestTokens) return false;
    left -= unit.tokens;
    return true;
  });
  let shown = [...front.units, ...weighed.units, ...lateShown, ...tail.units];
  const newestCap = gathered.isPinned(newest)
    ? newest.tokens
    : Math.min(left, callTokens(newest) + tailCaps.results);
  let last = fitUnit(newest, newestCap, input.counter);
  if (last === null) {
    // A step of very many calls: it takes all there is.
    shown = front.units;
    memory = null;
    tailStart = newest.order;
    last = fitUnit(newest, front.room, input.counter);
  }
  if (last === null) throw new FloorError(input.budget, { rules: 0, pins: 0, newest: newest.tokens });
  return {
    pieces: compose(front, memory, shown, last),
    memory,
    warnings: front.warnings,
    tailStart,
    short: bare.short || tail.short || gathered.newestSplit || unread,
  };
}

/** Inside a summarized range but newer than its summary: shown as it is until the next fold takes it in. */
function lateUnits(
  input: AssembleInput,
  gathered: Gathered,
  written: readonly SummaryLeaf[],
  border: bigint,
): Unit[] {
  const isLate = (unit: Unit): boolean =>
    unit.order < border &&
    unit.entries.some(({ entry }) =>
      written.some(
        (leaf) => leaf.from <= unit.order && unit.order <= leaf.to && BigInt(entry.offset) > leaf.seen,
      ),
    );
  const known = new Set(gathered.units.flatMap((unit) => unit.entries.map((held) => held.entry.id)));
  const remembered = input.state.late.filter((held) => !known.has(held.entry.id));
  return [...gathered.units.filter((unit) => gathered.inRegion(unit)), ...pairCalls(remembered).units].filter(
    (unit) =>
      isLate(unit) && !gathered.first.has(unit.entries[0]?.entry.id ?? '') && !gathered.isPinned(unit),
  );
}

/** Rules from before the tail stand in front of memory; the rest follows in order. */
function compose(front: Front, memory: Memory | null, shown: readonly Unit[], newest: Unit): Piece[] {
  const units = shown.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  if (memory === null || memory.text === '') return [...units, newest].map(asPiece);
  const border = shown.find((unit) => !front.units.includes(unit))?.order ?? newest.order;
  const ahead = units.filter((unit) => front.rules.includes(unit) && unit.order < border);
  return [
    ...ahead.map(asPiece),
    { kind: 'memory', text: memory.text, tokens: tokensOf(memory) },
    ...[...units.filter((unit) => !ahead.includes(unit)), newest].map(asPiece),
  ];
}

/** Units before the tail that are weighed and told in short. However much the view's row holds, these are looked at. */
const LOOK_BACK = 400;

/** Left out, and seen by no leaf: too new for one, or its leaf has not been made. */
function uncoveredBefore(border: bigint, candidates: readonly Unit[], input: AssembleInput): Unit[] {
  const isCovered = ({ order }: Unit): boolean =>
    input.leaves.some((leaf) => leaf.from <= order && order <= leaf.to);
  return candidates.filter((unit) => unit.order < border && !isCovered(unit));
}

function withinCaps(units: readonly Unit[], caps: TailCaps): boolean {
  let results = 0;
  let rest = 0;
  for (const unit of units) {
    const parts = divideUnit(unit, unit.tokens, false);
    results += parts.results;
    rest += parts.rest;
  }
  return results <= caps.results && rest <= caps.tail;
}

function tokensOf({ tokens }: Memory): number {
  return tokens.facts + tokens.summary + tokens.identifiers;
}

function asPiece(unit: Unit): Piece {
  return { kind: 'unit', unit };
}

function sum(units: readonly Unit[]): number {
  return units.reduce((tokens, unit) => tokens + unit.tokens, 0);
}
