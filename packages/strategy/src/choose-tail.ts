import type { AssembleInput } from './assemble.js';
import { fitUnit } from './fit-unit.js';
import type { Gathered } from './gather-units.js';
import type { Unit } from './pair-calls.js';
import { capOf, divideUnit, NO_TAIL_CAPS, stubTokens, type TailCaps, tailTokens } from './unit-shares.js';

/**
 * The tail begins at units that cross a multiple of this share of the room, so that it seldom has to begin anew. At
 * 4,000 tokens of a 40,000-token history a quarter keeps 0.70 of each context's bytes for the next one, two fifths
 * 0.78, a half 0.82, and each step costs about two of a hundred identifiers.
 */
const ANCHOR_SHARE = 2 / 5;
const MIN_ANCHOR_TOKENS = 128;

export interface Tail {
  /** Units as they are shown, newest unit apart. Sorted. */
  units: Unit[];
  /** Order of the first unit, whether or not it can be cut to its cap; null where there is none. */
  start: bigint | null;
  /** Units whose results were cut down to a handle, as they were before. */
  stubbed: Unit[];
  /** All that was at hand is shown, and there may be more. */
  short: boolean;
}

/** Room for the tail: of what memory, tail and newest unit have together, and of it what is free beside them. */
export interface TailRoom {
  /** Shares of units and steps between anchors are of it; infinite where everything fits. */
  room: number;
  /** Without the newest unit and memory. */
  space: number;
  caps: TailCaps;
}

/**
 * The longest tail before the newest unit that fits. Where it is not all there is, it begins at an anchor: a function of
 * the history before it, so that the tail begins at the same unit turn after turn, without remembering where it began.
 * Where results have a slot of their own, older ones are cut down to a handle, from an anchor of their own on.
 */
export function chooseTail(
  input: AssembleInput,
  gathered: Gathered,
  candidates: readonly Unit[],
  { room, space, caps }: TailRoom,
): Tail {
  const wholeFrom = firstWhole(gathered, candidates, room, caps);
  const shownTokens = (index: number): number => {
    const unit = candidates[index] as Unit;
    return index >= wholeFrom ? tailTokens(unit, room, caps) : stubTokens(unit, room, caps);
  };
  let start = candidates.length;
  let left = space;
  let leftOfTail = caps.tail;
  while (start > 0) {
    const tokens = shownTokens(start - 1);
    const { rest } = divideUnit(candidates[start - 1] as Unit, tokens, start - 1 < wholeFrom);
    if (tokens > left || rest > leftOfTail) break;
    start -= 1;
    left -= tokens;
    leftOfTail -= rest;
  }
  const all = start === 0;
  // The end of a summarized block is an anchor of its own.
  const skipped = behindLeaf(input, candidates, start, gathered.whole);
  if (skipped !== null) start = skipped;
  else if (!all) {
    start =
      caps.tail === NO_TAIL_CAPS.tail
        ? nextAnchor(gathered, candidates, start, room)
        : anchorFor(gathered, candidates, start, Math.min(room, caps.results + caps.tail), shownTokens);
    start = behindLeaf(input, candidates, start, gathered.whole) ?? start;
  }
  const tail: Tail = {
    units: [],
    start: candidates[start]?.order ?? null,
    stubbed: candidates.slice(start, Math.max(start, wholeFrom)),
    short: all && gathered.mayGrow,
  };
  for (const [index, unit] of candidates.entries()) {
    if (index < start) continue;
    const cap = index >= wholeFrom ? capOf(unit, room, caps) : stubTokens(unit, room, caps);
    const fitted = fitUnit(unit, cap, input.counter);
    if (fitted !== null) tail.units.push(fitted);
  }
  return tail;
}

/** Index of the first unit whose results are shown as far as their share goes; those before it keep a handle. */
function firstWhole(gathered: Gathered, candidates: readonly Unit[], room: number, caps: TailCaps): number {
  if (caps.results === NO_TAIL_CAPS.results) return 0;
  let first = candidates.length;
  let left = caps.results;
  while (first > 0) {
    const unit = candidates[first - 1] as Unit;
    const { results } = divideUnit(unit, tailTokens(unit, room, caps), false);
    if (results > left) break;
    left -= results;
    first -= 1;
  }
  return first === 0 ? 0 : nextAnchor(gathered, candidates, first, caps.results);
}

/** Of the tail that would fit, what must be left of it behind an anchor. */
const LEAST_LEFT = 2 / 5;
const FINER_STEPS = 3;

/**
 * The next anchor, from finer ones where it would take more of the tail than it leaves: the slot of results is empty
 * where an agent calls no tools, and steps of both slots together are then wider than all that fits.
 */
function anchorFor(
  gathered: Gathered,
  candidates: readonly Unit[],
  from: number,
  room: number,
  tokensOf: (index: number) => number,
): number {
  const sum = (start: number): number => {
    let tokens = 0;
    for (let index = start; index < candidates.length; index += 1) tokens += tokensOf(index);
    return tokens;
  };
  const least = sum(from) * LEAST_LEFT;
  for (let finer = 0; finer < FINER_STEPS; finer += 1) {
    const start = nextAnchor(gathered, candidates, from, room / 2 ** finer);
    if (sum(start) >= least) return start;
  }
  return nextAnchor(gathered, candidates, from, room / 2 ** FINER_STEPS);
}

function nextAnchor(gathered: Gathered, candidates: readonly Unit[], from: number, room: number): number {
  const step = Math.max(MIN_ANCHOR_TOKENS, Math.floor(room * ANCHOR_SHARE));
  const bucket = (index: number): number =>
    Math.floor(gathered.tokensBefore(candidates[index] as Unit) / step);
  let start = Math.max(1, from);
  while (start < candidates.length && bucket(start) === bucket(start - 1)) start += 1;
  return start;
}

/** Where to begin instead of at `start` so that no leaf is split and nothing said twice: behind it. Null = at `start`. */
function behindLeaf(
  input: AssembleInput,
  candidates: readonly Unit[],
  start: number,
  whole: boolean,
): number | null {
  const order = candidates[start]?.order;
  if (input.settings.summary === null || order === undefined) return null;
  const leaf = input.leaves.find(({ from, to }) => from <= order && order <= to);
  if (leaf === undefined) return null;
  const before = candidates[start - 1];
  if (before === undefined ? whole : before.order < leaf.from) return null;
  const behind = candidates.findIndex((unit) => unit.order > leaf.to);
  return behind === -1 ? candidates.length : behind;
}
