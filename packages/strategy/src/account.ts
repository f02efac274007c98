import { REPLY_PRIMING_TOKENS } from '@palimpsest/tokens';
import type { AssembleInput, Chosen } from './assemble.js';
import { type Held, isRule } from './entry.js';
import type { Gathered } from './gather-units.js';
import type { CallPlan } from './slots/plan-call.js';
import type { SummaryLeaf } from './memory-text.js';
import { isBeforeEdge, type Paired } from './pair-calls.js';

export type Slot =
  | 'system'
  | 'tools'
  | 'facts'
  | 'summary'
  | 'identifiers'
  | 'pinned'
  | 'tool_results'
  | 'tail'
  | 'recalled'
  | 'state';

export interface LeftOut {
  what: string;
  why: string;
  /** Artifact or event id by which the original can be read; null where a range is meant. */
  handle: string | null;
}

/** Longest list of things left out that an answer carries; the rest is summed up in one line. */
const LEFT_OUT_LISTED = 50;

/** Tokens by slot, and what is not in the context: every event is shown, named or counted. */
export function account(
  input: AssembleInput,
  gathered: Gathered,
  chosen: Chosen,
  plan: CallPlan,
): { tokens: { total: number; slots: Record<Slot, number> }; leftOut: LeftOut[] } {
  const leftOut = [...plan.tools.leftOut, ...leftOutOf(input, gathered, chosen)];
  const listed = leftOut.slice(0, LEFT_OUT_LISTED);
  if (leftOut.length > LEFT_OUT_LISTED) {
    listed.push({
      what: `${leftOut.length - LEFT_OUT_LISTED} more`,
      why: 'not listed one by one',
      handle: null,
    });
  }
  return { tokens: tokensOf(gathered, chosen, plan.tools.tokens), leftOut: listed };
}

function tokensOf(
  gathered: Gathered,
  chosen: Chosen,
  tools: number,
): { total: number; slots: Record<Slot, number> } {
  const slots: Record<Slot, number> = {
    system: 0,
    tools,
    facts: chosen.memory?.tokens.facts ?? 0,
    summary: chosen.memory?.tokens.summary ?? 0,
    identifiers: chosen.memory?.tokens.identifiers ?? 0,
    pinned: 0,
    tool_results: 0,
    // The reply is primed once per call.
    tail: REPLY_PRIMING_TOKENS,
    recalled: 0,
    state: 0,
  };
  for (const piece of chosen.pieces) {
    if (piece.kind === 'note') slots[piece.title] += piece.tokens;
    if (piece.kind !== 'unit') continue;
    const stays = gathered.isPinned(piece.unit);
    for (const { entry } of piece.unit.entries) {
      if (isRule(entry)) slots.system += entry.tokens;
      else if (stays || gathered.first.has(entry.id) || gathered.large.has(entry.id))
        slots.pinned += entry.tokens;
      else if (entry.kind === 'tool_result') slots.tool_results += entry.tokens;
      else slots.tail += entry.tokens;
    }
  }
  return { total: Object.values(slots).reduce((sum, tokens) => sum + tokens, 0), slots };
}

function leftOutOf(input: AssembleInput, gathered: Gathered, chosen: Chosen): LeftOut[] {
  const shown = chosen.pieces.flatMap((piece) => (piece.kind === 'unit' ? piece.unit.entries : []));
  const shownIds = new Set(shown.map((held) => held.entry.id));
  const from = chosen.tailStart;
  // In the tail each one is named; what lies before it, or belongs to a call there, is counted.
  const named: Paired['unpaired'] = gathered.unpaired.filter(
    ({ held, why }) => from === null || (held.order >= from && !isBeforeEdge(why)),
  );
  if (from !== null) {
    for (const unit of gathered.units) {
      if (unit.order < from || unit.entries.some((held) => shownIds.has(held.entry.id))) continue;
      named.push(...unit.entries.map((held) => ({ held, why: 'over the budget' })));
    }
  }
  const leftOut: LeftOut[] = named.map(({ held, why }) => ({
    what: describe(held),
    why,
    handle: held.entry.artifact ?? held.entry.id,
  }));
  for (const held of shown) {
    if (held.entry.dropped === undefined) continue;
    leftOut.push({
      what: `part of ${describe(held)}`,
      why: `cut: ${held.entry.dropped}`,
      handle: held.entry.artifact ?? held.entry.id,
    });
  }
  const { messages, calls, results } = input.state.totals;
  const missing = messages + calls + results - shownIds.size - named.length;
  if (missing === 0) return leftOut;
  const why = input.settings.window.messages === null ? '' : 'outside the window of the strategy, or ';
  const ranges = rangesOf(chosen.memory?.written ?? []);
  leftOut.push({
    what: `${missing} events${from === null ? '' : ` before ${from}`}`,
    why: `${why}over the budget${ranges === '' ? '' : `; summarized: ${ranges}`}`,
    handle: null,
  });
  return leftOut;
}

/** Ranges of orders that leaves cover, those that touch as one. */
function rangesOf(leaves: readonly SummaryLeaf[]): string {
  const ranges: { from: bigint; to: bigint }[] = [];
  for (const { from, to } of leaves) {
    const last = ranges[ranges.length - 1];
    if (last !== undefined && last.to + 1n === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => `${from} to ${to}`).join(', ');
}

function describe(held: Held): string {
  const { entry } = held;
  const name = entry.kind === 'message' ? `${entry.role ?? 'unknown'} message` : entry.kind.replace('_', ' ');
  return `${name}${entry.tool === undefined ? '' : ` ${entry.tool}`} at ${entry.order}`;
}
