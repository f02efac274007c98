import type { AssembleInput, Piece } from './assemble.js';
import { choosePieces } from './choose-pieces.js';
import { addTo } from './edge.js';
import type { Entry, Held } from './entry.js';
import { FloorError } from './floor-error.js';
import { currentTask } from './state/fold-task.js';
import type { Gathered } from './gather-units.js';
import type { CallPlan } from './slots/plan-call.js';

/**
 * Tokens of the leading pieces that also begin the context of the history without its newest unit: what a provider's
 * cache holds from the call before. That context is assembled and compared, since a guess would promise too much.
 */
export function stablePrefix(
  input: AssembleInput,
  gathered: Gathered,
  pieces: readonly Piece[],
  plan: CallPlan,
): { tokens: number; pieces: number; short: boolean } {
  const newest = gathered.units[gathered.units.length - 1];
  if (newest === undefined) return { tokens: 0, pieces: 0, short: false };
  const ids = new Set(newest.entries.map((held) => held.entry.id));
  const before = choosePrevious(input, ids, newest.order, plan);
  // Tools stand before all messages: declared or pruned anew since, they leave nothing of the cache.
  if (toolsAreNew(input, gathered)) return { tokens: 0, pieces: 0, short: before.short };
  let tokens = plan.tools.tokens;
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
  plan: CallPlan,
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
    return choosePieces(previous, undefined, plan);
  } catch (error) {
    if (error instanceof FloorError) return { pieces: [], short: false };
    throw error;
  }
}

/** Whether what is declared, or the phase that it is pruned by, changed after the unit before the newest. */
function toolsAreNew({ tools, state }: AssembleInput, { units }: Gathered): boolean {
  const before = units[units.length - 2]?.order;
  if (tools === undefined || tools === null || before === undefined) return false;
  const phase = currentTask(state)?.fields?.find(({ name }) => name === 'phase')?.order;
  const isPruned = tools.tools.some(({ phases }) => phases.length > 0);
  return tools.order > before || (isPruned && phase !== undefined && phase > before);
}

/** Whether both are sent as the same bytes. */
function isSame(a: Piece, b: Piece): boolean {
  if (a.kind !== 'unit' || b.kind !== 'unit')
    return a.kind !== 'unit' && b.kind === a.kind && a.text === b.text;
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
