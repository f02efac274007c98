import { REPLY_PRIMING_TOKENS, type TokenCounter } from '@palimpsest/tokens';
import { type ConversationState, heldEntries } from './conversation-state.js';
import { compareHeld, type Held, hold, isRule } from './entry.js';
import { countEntry } from './fit-unit.js';
import { newestUnitStart } from './fold-window.js';
import type { Fact, SummaryLeaf } from './memory-text.js';
import { pairCalls, type Paired, type Unit } from './pair-calls.js';
import { select } from './select-units.js';
import type { StrategySettings } from './strategy.js';

/** All a context is made of. Everything is given: no I/O, no clock. */
export interface AssembleInput {
  state: ConversationState;
  /** Entries older than the window, where they were read; the newest of them adjoin the window. */
  older: readonly Held[];
  /** Originals by artifact id, where they were read. */
  originals: ReadonlyMap<string, string>;
  leaves: readonly SummaryLeaf[];
  facts: readonly Fact[];
  budget: number;
  settings: StrategySettings;
  counter: TokenCounter;
}

export type Slot = 'system' | 'facts' | 'summary' | 'pinned' | 'tool_results' | 'tail';

/** One piece of the context, in the order in which it is sent. */
export type Piece = { kind: 'memory'; text: string; tokens: number } | { kind: 'unit'; unit: Unit };

export interface LeftOut {
  what: string;
  why: string;
  /** Artifact or event id by which the original can be read; null where a range is meant. */
  handle: string | null;
}

export interface Assembled {
  pieces: Piece[];
  tokens: { total: number; slots: Record<Slot, number> };
  stablePrefixTokens: number;
  leftOut: LeftOut[];
  warnings: string[];
}

/** Longest list of things left out that an answer carries; the rest is summed up in one line. */
const LEFT_OUT_LISTED = 50;

/**
 * The context within the budget. Never above it: a floor (rules, pins and the newest unit) that does not fit throws
 * FloorError. While the whole conversation fits, it is the whole conversation, byte for byte and in order.
 */
export function assemble(input: AssembleInput): Assembled {
  const { state, settings, budget } = input;
  const all = merge(input.older, heldEntries(state));
  const whole = isWhole(state, all);
  const shown = limitByCount(all, settings.window.messages, settings.window.pinned_first, state);
  const edge = {
    splitStep: whole && shown === all ? null : (state.evictedStep?.step ?? null),
    callsGone: whole ? new Map<string, number>() : state.evictedCalls,
  };
  const room = Math.floor(budget * (1 - settings.budget.headroom)) - REPLY_PRIMING_TOKENS;
  const leftOut: LeftOut[] = [];

  if (whole && shown === all) {
    const originals = settings.cut.when === 'over_budget' ? restore(all, input) : all;
    for (const entries of originals === null ? [all] : [originals, all]) {
      const paired = dropEmpty(pairCalls(entries, edge));
      if (sum(paired.units) <= room) {
        note(leftOut, paired, entries);
        return finish(
          { pieces: paired.units.map((unit) => ({ kind: 'unit', unit })), leftOut, warnings: [] },
          state,
        );
      }
    }
  }
  const paired = dropEmpty(pairCalls(shown, edge));
  const selection = select({ input, units: paired.units, room, whole: whole && shown === all });
  note(leftOut, paired, []);
  for (const piece of selection.pieces) {
    if (piece.kind === 'unit') noteCuts(leftOut, piece.unit.entries);
  }
  leftOut.push(...selection.leftOut);
  if (shown !== all) {
    leftOut.push({
      what: `${all.length - shown.length} events`,
      why: 'outside the window of the strategy',
      handle: null,
    });
  }
  return finish({ ...selection, leftOut }, state);
}

/** Whether `older` and the state together hold every entry of the conversation. */
function isWhole(state: ConversationState, all: readonly Held[]): boolean {
  const { messages, calls, results } = state.totals;
  return all.length === messages + calls + results;
}

function merge(older: readonly Held[], held: Held[]): Held[] {
  if (older.length === 0) return held;
  const byId = new Map(older.map((one) => [one.entry.id, one]));
  for (const one of held) byId.set(one.entry.id, one);
  return [...byId.values()].toSorted(compareHeld);
}

/** The last `limit` events, with what is pinned before them; a message is in once (`skip = max(pinned, length - size)`). */
function limitByCount(
  all: Held[],
  limit: number | null,
  pinnedFirst: number,
  state: ConversationState,
): Held[] {
  if (limit === null || all.length <= limit) return all;
  const messages = all.filter((held) => held.entry.kind === 'message');
  const stays = new Set(messages.slice(0, pinnedFirst));
  const start = Math.min(all.length - limit, newestUnitStart(all));
  const shown = all.filter(
    (held, index) =>
      index >= start ||
      stays.has(held) ||
      isRule(held.entry) ||
      state.pins.get(held.entry.id)?.pinned === true,
  );
  return shown.length === all.length ? all : shown;
}

/** All entries with their originals in place of renditions, or null where one is not at hand. */
function restore(all: readonly Held[], input: AssembleInput): Held[] | null {
  const restored: Held[] = [];
  for (const held of all) {
    const { artifact, dropped: _, ...entry } = held.entry;
    if (artifact === undefined) {
      restored.push(held);
      continue;
    }
    const text = input.originals.get(artifact);
    if (text === undefined) return null;
    const original = { ...entry, text, tokens: entry.original_tokens };
    original.tokens = countEntry(input.counter, original);
    restored.push(hold(original));
  }
  return restored;
}

/** Messages without any content are valid for no provider. */
function dropEmpty(paired: Paired): Paired {
  const units = paired.units.filter((unit) => {
    const [held] = unit.entries;
    if (held === undefined || unit.entries.length > 1 || held.entry.kind !== 'message') return true;
    if (held.entry.text.trim() !== '' || held.entry.parts !== undefined) return true;
    paired.unpaired.push({ held, why: 'the message is empty' });
    return false;
  });
  return { units, unpaired: paired.unpaired };
}

function note(leftOut: LeftOut[], paired: Paired, shown: readonly Held[]): void {
  for (const { held, why } of paired.unpaired) {
    leftOut.push({ what: describe(held), why, handle: held.entry.artifact ?? held.entry.id });
  }
  noteCuts(leftOut, shown);
}

function noteCuts(leftOut: LeftOut[], shown: readonly Held[]): void {
  for (const held of shown) {
    if (held.entry.dropped === undefined) continue;
    leftOut.push({
      what: `part of ${describe(held)}`,
      why: `cut: ${held.entry.dropped}`,
      handle: held.entry.artifact ?? held.entry.id,
    });
  }
}

export function describe(held: Held): string {
  const { entry } = held;
  const name = entry.kind === 'message' ? `${entry.role ?? 'unknown'} message` : entry.kind.replace('_', ' ');
  return `${name}${entry.tool === undefined ? '' : ` ${entry.tool}`} at ${entry.order}`;
}

function finish(
  chosen: {
    pieces: Piece[];
    leftOut: LeftOut[];
    warnings: string[];
    stablePrefixTokens?: number;
    slots?: { facts: number; summary: number };
  },
  state: ConversationState,
): Assembled {
  const slots: Record<Slot, number> = {
    system: 0,
    facts: 0,
    summary: 0,
    pinned: 0,
    tool_results: 0,
    tail: 0,
  };
  let total = REPLY_PRIMING_TOKENS;
  const keptIds = new Set(state.kept.map((held) => held.entry.id));
  for (const piece of chosen.pieces) {
    if (piece.kind === 'memory') {
      const facts = chosen.slots?.facts ?? 0;
      slots.facts += facts;
      slots.summary += piece.tokens - facts;
      total += piece.tokens;
      continue;
    }
    for (const { entry } of piece.unit.entries) {
      total += entry.tokens;
      if (isRule(entry)) slots.system += entry.tokens;
      else if (state.pins.get(entry.id)?.pinned === true || keptIds.has(entry.id))
        slots.pinned += entry.tokens;
      else if (entry.kind === 'tool_result') slots.tool_results += entry.tokens;
      else slots.tail += entry.tokens;
    }
  }
  const { leftOut } = chosen;
  const listed = leftOut.slice(0, LEFT_OUT_LISTED);
  if (leftOut.length > LEFT_OUT_LISTED) {
    listed.push({
      what: `${leftOut.length - LEFT_OUT_LISTED} more`,
      why: 'not listed one by one',
      handle: null,
    });
  }
  return {
    pieces: chosen.pieces,
    tokens: { total, slots },
    stablePrefixTokens: chosen.stablePrefixTokens ?? stableByNewest(chosen.pieces),
    leftOut: listed,
    warnings: chosen.warnings,
  };
}

/** Where nothing was left out, all but the newest unit stood in the context before, at the same place. */
function stableByNewest(pieces: readonly Piece[]): number {
  return sum(pieces.slice(0, -1).flatMap((piece) => (piece.kind === 'unit' ? [piece.unit] : [])));
}

function sum(units: readonly Unit[]): number {
  return units.reduce((tokens, unit) => tokens + unit.tokens, 0);
}
