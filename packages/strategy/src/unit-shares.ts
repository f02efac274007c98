import type { Unit } from './pair-calls.js';

/**
 * Share of the room that one unit of the tail may take, or a step with several results. Constant shares, and not what
 * is left over: a unit is then cut once and keeps its bytes as it grows older. Measured on SWE-agent and tau-bench
 * traces at 4,000 tokens: with a quarter, 0.84 of the identifiers in the last six results survive (SWE-agent); with two
 * fifths 0.92, and 0.97 of those of tau-bench; with a half, large results push out small ones (0.96).
 */
const UNIT_SHARE = 2 / 5;
const STEP_SHARE = 1 / 2;
/** What is left of a result that only keeps its handle: the start of its structure and the marker. */
const STUB_TOKENS = 96;

/** What the tail may take of results, and of all else. */
export interface TailCaps {
  results: number;
  tail: number;
}

export const NO_TAIL_CAPS: TailCaps = { results: Number.POSITIVE_INFINITY, tail: Number.POSITIVE_INFINITY };

/** Tokens that a unit of the tail may have. */
export function capOf(unit: Unit, room: number, caps: TailCaps): number {
  const results = unit.entries.filter((held) => held.entry.kind === 'tool_result').length;
  const share = results > 1 ? STEP_SHARE : UNIT_SHARE;
  const cap = Math.floor(room * share);
  if (results === 0 || caps.results === NO_TAIL_CAPS.results) return cap;
  return Math.min(cap, callTokens(unit) + Math.floor(caps.results * STEP_SHARE));
}

/** Tokens of a unit in the tail. */
export function tailTokens(unit: Unit, room: number, caps: TailCaps): number {
  return Math.min(unit.tokens, capOf(unit, room, caps));
}

/** Tokens of a unit whose results keep a handle. */
export function stubTokens(unit: Unit, room: number, caps: TailCaps): number {
  const results = unit.entries.filter((held) => held.entry.kind === 'tool_result').length;
  const cap = results === 0 ? unit.tokens : callTokens(unit) + results * STUB_TOKENS;
  return Math.min(tailTokens(unit, room, caps), cap);
}

/** Tokens of a unit by the slots that they count for; a stub counts as the rest does. */
export function divideUnit(unit: Unit, shown: number, isStub: boolean): { results: number; rest: number } {
  if (isStub) return { results: 0, rest: shown };
  const rest = Math.min(shown, callTokens(unit));
  return { results: shown - rest, rest };
}

/** Tokens of all that is no result. */
export function callTokens(unit: Unit): number {
  return unit.entries.reduce(
    (sum, { entry }) => (entry.kind === 'tool_result' ? sum : sum + entry.tokens),
    0,
  );
}
