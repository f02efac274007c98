import type { AssembleInput } from './assemble.js';
import { fitUnit } from './fit-unit.js';
import type { Gathered } from './gather-units.js';
import type { Unit } from './pair-calls.js';

/**
 * Share of the room that one unit of the tail may take, or a step with several results. Constant shares, and not what
 * is left over: a unit is then cut once and keeps its bytes as it grows older. Measured on SWE-agent and tau-bench
 * traces at 4,000 tokens: with a quarter, 0.84 of the identifiers in the last six results survive (SWE-agent); with two
 * fifths 0.92, and 0.97 of those of tau-bench; with a half, large results push out small ones (0.96).
 */
const UNIT_SHARE = 2 / 5;
const STEP_SHARE = 1 / 2;
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
  /** All that was at hand is shown, and there may be more. */
  short: boolean;
}

/** Tokens of a unit in the tail. */
export function tailTokens(unit: Unit, room: number): number {
  return Math.min(unit.tokens, capOf(unit, room));
}

/**
 * The longest tail before the newest unit that fits into `space`, of the `room` that memory, tail and newest unit have
 * together. Where it is not all there is, it begins at an anchor: a function of the history before it, so that the tail
 * begins at the same unit turn after turn, without remembering where it began.
 */
export function chooseTail(
  input: AssembleInput,
  gathered: Gathered,
  candidates: readonly Unit[],
  room: number,
  space: number,
): Tail {
  let start = candidates.length;
  let left = space;
  while (start > 0 && tailTokens(candidates[start - 1] as Unit, room) <= left) {
    start -= 1;
    left -= tailTokens(candidates[start] as Unit, room);
  }
  const all = start === 0;
  // The end of a summarized block is an anchor of its own.
  const skipped = behindLeaf(input, candidates, start, gathered.whole);
  if (skipped !== null) start = skipped;
  else if (!all) {
    start = nextAnchor(gathered, candidates, start, room);
    start = behindLeaf(input, candidates, start, gathered.whole) ?? start;
  }
  const tail: Tail = {
    units: [],
    start: candidates[start]?.order ?? null,
    short: all && gathered.mayGrow,
  };
  for (const unit of candidates.slice(start)) {
    const fitted = fitUnit(unit, capOf(unit, room), input.counter);
    if (fitted !== null) tail.units.push(fitted);
  }
  return tail;
}

function capOf(unit: Unit, room: number): number {
  const results = unit.entries.filter((held) => held.entry.kind === 'tool_result').length;
  return Math.floor(room * (results > 1 ? STEP_SHARE : UNIT_SHARE));
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
