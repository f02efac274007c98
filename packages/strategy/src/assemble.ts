import type { TokenCounter } from '@palimpsest/tokens';
import { account, type LeftOut, type Slot } from './account.js';
import { choosePieces } from './choose-pieces.js';
import type { ConversationState } from './conversation-state.js';
import type { Held } from './entry.js';
import { gatherUnits } from './gather-units.js';
import type { Fact, Memory, SummaryLeaf } from './memory-text.js';
import type { Unit } from './pair-calls.js';
import { stablePrefix } from './stable-prefix.js';
import type { StrategySettings } from './strategy.js';

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
}

/** One piece of the context, in the order in which it is sent. */
export type Piece = { kind: 'memory'; text: string; tokens: number } | { kind: 'unit'; unit: Unit };

export interface Assembled {
  pieces: Piece[];
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
 * for every window that holds enough: what a row does not hold and was read instead changes nothing.
 */
export function assemble(input: AssembleInput): Assembled {
  const gathered = gatherUnits(input);
  const chosen = choosePieces(input, gathered);
  const stable = stablePrefix(input, gathered, chosen.pieces);
  return {
    pieces: chosen.pieces,
    ...account(input, gathered, chosen),
    stablePrefixTokens: stable.tokens,
    stablePieces: stable.pieces,
    warnings: chosen.warnings,
    short: chosen.short || stable.short,
  };
}
