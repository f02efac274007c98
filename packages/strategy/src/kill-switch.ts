import type { Slot } from './account.js';
import type { Piece } from './assemble.js';

/** What a refused call held, for whoever has to find out how it grew. */
export interface CallDump {
  total: number;
  slots: Record<Slot, number>;
  /** The largest entries, largest first. */
  largest: { id: string; what: string; tokens: number }[];
  /** The last units, in order. */
  last: { order: string; what: string; tokens: number }[];
}

const LISTED = 10;

/** The call is above the strategy's kill switch: nothing is sent, and the dump says what it held. */
export class KillSwitchError extends Error {
  override name = 'KillSwitchError';
  constructor(
    readonly limit: number,
    readonly dump: CallDump,
  ) {
    super(
      `The call would have ${dump.total} tokens, the strategy's kill switch stands at ${limit}. ` +
        'See in the dump what grew; unpin it, lower the budget, or raise "budget.kill_above".',
    );
  }
}

/** Throws KillSwitchError where the call is above the limit. */
export function stopAbove(
  limit: number | undefined,
  pieces: readonly Piece[],
  tokens: { total: number; slots: Record<Slot, number> },
): void {
  if (limit === undefined || tokens.total <= limit) return;
  const units = pieces.flatMap((piece) => (piece.kind === 'unit' ? [piece.unit] : []));
  const entries = units.flatMap((unit) => unit.entries.map(({ entry }) => entry));
  throw new KillSwitchError(limit, {
    ...tokens,
    largest: entries
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, LISTED)
      .map((entry) => ({ id: entry.id, what: entry.tool ?? entry.role ?? entry.kind, tokens: entry.tokens })),
    last: units.slice(-LISTED).map((unit) => ({
      order: unit.order.toString(),
      what: unit.entries.map(({ entry }) => entry.tool ?? entry.role ?? entry.kind).join(', '),
      tokens: unit.tokens,
    })),
  });
}
