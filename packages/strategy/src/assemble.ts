import type { TokenCounter } from '@palimpsest/tokens';
import { account, type LeftOut, type Slot } from './account.js';
import { choosePieces } from './choose-pieces.js';
import type { ConversationState } from './conversation-state.js';
import { stopAbove } from './kill-switch.js';
import type { Held } from './entry.js';
import { gatherUnits } from './gather-units.js';
import type { Fact, Memory, SummaryLeaf } from './memory-text.js';
import type { Note } from './note.js';
import type { Unit } from './pair-calls.js';
import type { Recalled } from './recall/recall-note.js';
import { planCall } from './slots/plan-call.js';
import { stablePrefix } from './stable-prefix.js';
import type { StrategySettings } from './strategy.js';
import type { SentTool } from './tools/choose-tools.js';
import type { DeclaredTools } from './tools/tool-declaration.js';

/** All a context is made of. Everything is given: no I/O, no clock. */
export interface AssembleInput {
  state: ConversationState;
  /** Entries older than the window, where they were read: sorted, without gap up to the last that was evicted. */
  older: readonly Held[];
  /** Originals by artifact id, where they were read. */
  originals: ReadonlyMap<string, string>;
  leaves: readonly SummaryLeaf[];
  facts: readonly Fact[];
  budget: number;
  settings: StrategySettings;
  counter: TokenCounter;
  /** The view was counted by another tokenizer than `counter`. */
  recounts?: boolean;
  /** What the newest declaration of tools says; absent where there is none. */
  tools?: DeclaredTools | null;
  /** What the next call is about, where the caller says so. */
  query?: string;
  /** What the query found, best first. */
  recalled?: readonly Recalled[];
}

/** One piece of the context, in the order in which it is sent. */
export type Piece = { kind: 'memory'; text: string; tokens: number } | { kind: 'unit'; unit: Unit } | Note;

export interface Assembled {
  pieces: Piece[];
  /** Of what was declared, what is sent along; counted in the slot `tools`. */
  tools: SentTool[];
  /** Of the current task, where it is told. */
  phase: string | null;
  /** The slots add up to the total. */
  tokens: { total: number; slots: Record<Slot, number> };
  /** Tokens of the leading pieces that the context before the newest unit began with as well. */
  stablePrefixTokens: number;
  /** How many pieces those are. */
  stablePieces: number;
  leftOut: LeftOut[];
  warnings: string[];
  /** More would have fitted, here or in the context before: read older entries, if there are any, and assemble again. */
  short: boolean;
}

export interface Chosen {
  pieces: Piece[];
  memory: Memory | null;
  warnings: string[];
  /** Order of the first unit of the tail; null where nothing is left out before it. */
  tailStart: bigint | null;
  short: boolean;
}

/**
 * The context within the budget. Never above it: a floor (rules, pins and the newest unit) that does not fit throws
 * FloorError. While the whole conversation fits, it is the whole conversation, byte for byte and in order. The same
 * for every window that holds enough: what a row does not hold and was read instead changes nothing. Above the strategy's
 * kill switch it throws KillSwitchError with a dump.
 */
export function assemble(input: AssembleInput): Assembled {
  const gathered = gatherUnits(input);
  const plan = planCall(input);
  const chosen = choosePieces(input, gathered, plan);
  const accounted = account(input, gathered, chosen, plan);
  stopAbove(input.settings.budget.kill_above, chosen.pieces, accounted.tokens);
  const stable = stablePrefix(input, gathered, chosen.pieces, plan);
  return {
    pieces: chosen.pieces,
    tools: plan.tools.tools,
    phase: plan.phase,
    ...accounted,
    stablePrefixTokens: stable.tokens,
    stablePieces: stable.pieces,
    warnings: chosen.warnings,
    short: chosen.short || stable.short,
  };
}
