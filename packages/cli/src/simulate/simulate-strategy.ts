import type { ChatEvent } from '@palimpsest/events';
import {
  type Assembled,
  FloorError,
  formatText,
  identifiersOf,
  KillSwitchError,
  type Strategy,
} from '@palimpsest/strategy';
import { SessionFold } from './fold-session.js';
import type { Session } from './sessions.js';

/** USD per million input tokens: of what is not in the provider's cache, and of what is. */
export interface InputPrices {
  input: number;
  cached: number;
}

/** What a strategy made of recorded sessions. Shares are means over calls or sessions; null where there was nothing. */
export interface Simulated {
  strategy: string;
  sessions: number;
  calls: number;
  /** Input tokens of all calls, with the strategy and with the whole history. */
  tokens: number;
  naive_tokens: number;
  usd: number;
  naive_usd: number;
  /** Identifiers of what people and the assistant said that stand in the last context. */
  identifiers_kept: number | null;
  /** Of the last context, what equals the start of the one before. */
  stable_prefix: number | null;
  /** Events left out of the last context, of all. */
  left_out: number | null;
  /** Calls refused: a floor above the budget, rules above their slot, the kill switch. */
  refused: number;
}

/** Plays recorded sessions call by call under a strategy. Nothing is sent anywhere. */
export function simulateStrategy(
  sessions: readonly Session[],
  strategy: Strategy,
  budget: number,
  prices: InputPrices,
): Simulated {
  const sums = { calls: 0, tokens: 0, naive: 0, stable: 0, naiveStable: 0, refused: 0 };
  const kept: number[] = [];
  const stable: number[] = [];
  const left: number[] = [];
  for (const { events } of sessions) {
    const fold = new SessionFold(strategy);
    let last: Assembled | null = null;
    let before = 0;
    for (const [index, event] of events.entries()) {
      fold.add(event);
      if (!callsModel(event, events[index + 1])) continue;
      const context = contextOrNull(fold, budget);
      if (context === null) {
        sums.refused += 1;
        continue;
      }
      last = context;
      sums.calls += 1;
      sums.tokens += context.tokens.total;
      sums.stable += context.stablePrefixTokens;
      sums.naive += fold.fullTokens;
      sums.naiveStable += before;
      before = fold.fullTokens;
      stable.push(context.stablePrefixTokens / context.tokens.total);
    }
    if (last === null) continue;
    kept.push(...shareOf(namesSaid(events), formatText(last.pieces)));
    const shown = last.pieces.reduce(
      (sum, piece) => sum + (piece.kind === 'unit' ? piece.unit.entries.length : 0),
      0,
    );
    const all = events.filter(isEntry).length;
    left.push(1 - Math.min(1, shown / Math.max(1, all)));
  }
  const usd = (tokens: number, cached: number): number =>
    rounded(((tokens - cached) * prices.input + cached * prices.cached) / 1e6, 4);
  return {
    strategy: strategy.label,
    sessions: sessions.length,
    calls: sums.calls,
    tokens: sums.tokens,
    naive_tokens: sums.naive,
    usd: usd(sums.tokens, sums.stable),
    naive_usd: usd(sums.naive, sums.naiveStable),
    identifiers_kept: mean(kept),
    stable_prefix: mean(stable),
    left_out: mean(left),
    refused: sums.refused,
  };
}

function contextOrNull(fold: SessionFold, budget: number): Assembled | null {
  try {
    return fold.context(budget);
  } catch (error) {
    if (error instanceof FloorError || error instanceof KillSwitchError) return null;
    throw error;
  }
}

/** The model is called before each step of its own, and once at the end. */
function callsModel(event: ChatEvent, next: ChatEvent | undefined): boolean {
  if (next === undefined) return isEntry(event);
  if (next.type === 'message') return next.role === 'assistant';
  return next.type === 'tool_call' && event.type !== 'tool_call';
}

function isEntry(event: ChatEvent): boolean {
  return event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result';
}

function namesSaid(events: readonly ChatEvent[]): Set<string> {
  const names = new Set<string>();
  for (const event of events) {
    if (event.type !== 'message' || (event.role !== 'user' && event.role !== 'assistant')) continue;
    for (const name of identifiersOf(event.content.map((part) => part.text ?? '').join('\n')))
      names.add(name);
  }
  return names;
}

function shareOf(names: ReadonlySet<string>, text: string): number[] {
  if (names.size === 0) return [];
  return [[...names].filter((name) => text.includes(name)).length / names.size];
}

function mean(values: readonly number[]): number | null {
  return values.length === 0
    ? null
    : rounded(values.reduce((sum, value) => sum + value, 0) / values.length, 3);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
