import type { AssembleInput, Piece } from './assemble.js';
import { choosePieces } from './choose-pieces.js';
import { addTo } from './edge.js';
import type { Entry, Held } from './entry.js';
import { FloorError } from './floor-error.js';
import type { Gathered } from './gather-units.js';

/**
 * Tokens of the leading pieces that also begin the context of the history without its newest unit: what a provider's
 * cache holds from the call before. That context is assembled and compared, since a guess would promise too much.
 */
export function stablePrefix(
  input: AssembleInput,
  gathered: Gathered,
  pieces: readonly Piece[],
): { tokens: number; pieces: number; short: boolean } {
  const newest = gathered.units[gathered.units.length - 1];
  if (newest === undefined) return { tokens: 0, pieces: 0, short: false };
  const before = choosePrevious(input, new Set(newest.entries.map((held) => held.entry.id)), newest.order);
  let tokens = 0;
  let equal = 0;
  for (const piece of pieces) {
    const other = before.pieces[equal];
    if (other === undefined || !isSame(piece, other)) break;
    tokens += piece.kind === 'unit' ? piece.unit.tokens : piece.tokens;
    equal += 1;
  }
  return { tokens, pieces: equal, short: before.short };
}

function choosePrevious(
  input: AssembleInput,
  newest: ReadonlySet<string>,
  order: bigint,
): { pieces: readonly Piece[]; short: boolean } {
  const { state } = input;
  const totals = { ...state.totals };
  // What came with or after the newest unit and belongs to none stood in no context either.
  const isNew = (held: Held): boolean => newest.has(held.entry.id) || held.order >= order;
  const known = [...state.window, ...input.older, ...state.kept].filter(isNew);
  for (const { entry } of new Map(known.map((held) => [held.entry.id, held])).values()) {
    totals[entry.kind === 'message' ? 'messages' : entry.kind === 'tool_call' ? 'calls' : 'results'] -= 1;
    totals.tokens -= entry.tokens;
    totals.original_tokens -= entry.original_tokens;
  }
  const old = (list: readonly Held[]): Held[] => list.filter((held) => !isNew(held));
  const pins = [...state.pins].filter(([, pin]) => !pin.held.some(isNew));
  const evictedCalls = new Map(state.evictedCalls);
  for (const { entry } of input.older.filter(isNew)) addTo(evictedCalls, entry, -1);
  const offset = known.find((held) => newest.has(held.entry.id))?.entry.offset;
  const previous: AssembleInput = {
    ...input,
    state: {
      ...state,
      totals,
      window: old(state.window),
      kept: old(state.kept),
      pins: new Map(pins),
      evictedCalls,
    },
    older: old(input.older),
    leaves: offset === undefined ? input.leaves : input.leaves.filter((leaf) => leaf.seen < BigInt(offset)),
    facts: input.facts.filter((fact) => fact.sourceOrder < order),
    // The context before may have shown originals that this one does not: unread, they equal no rendition.
    originals: { get: (id: string) => input.originals.get(id) ?? '' } as ReadonlyMap<string, string>,
  };
  try {
    return choosePieces(previous);
  } catch (error) {
    if (error instanceof FloorError) return { pieces: [], short: false };
    throw error;
  }
}

/** Whether both are sent as the same bytes. */
function isSame(a: Piece, b: Piece): boolean {
  if (a.kind === 'memory' || b.kind === 'memory') {
    return a.kind === 'memory' && b.kind === 'memory' && a.text === b.text;
  }
  const others = b.unit.entries;
  return (
    a.unit.entries.length === others.length &&
    a.unit.entries.every(({ entry }, index) => isSent(entry, (others[index] as Held).entry))
  );
}

function isSent(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind &&
    a.role === b.role &&
    a.text === b.text &&
    a.tool === b.tool &&
    a.call_id === b.call_id &&
    JSON.stringify(a.parts) === JSON.stringify(b.parts)
  );
}
