import type { ConversationState } from './conversation-state.js';
import type { Held } from './entry.js';

/** What is known of the entries before the first one of a region: a run of entries without gap up to the newest. */
export interface Edge {
  /** The step that may have lost calls at the edge; one without a step id goes on only with calls that come first. */
  splitStep: { step: string | null } | null;
  /** Per call id, how many results of the region have their call before it. */
  callsGone: ReadonlyMap<string, number>;
}

export interface Region {
  /** Sorted, without gap. */
  entries: Held[];
  edge: Edge;
  /** Whether it holds every entry of the conversation. */
  whole: boolean;
}

export const NO_EDGE: Edge = { splitStep: null, callsGone: new Map() };

/**
 * The window, with older entries before it where they were read. Older entries begin wherever the reading stopped: what
 * may be the rest of a step is not used. The call ids of what lies before follow from what the state knows of all that
 * was evicted, so the same entries are paired alike whether the state held them or they were read.
 */
export function regionOf(state: ConversationState, older: readonly Held[]): Region {
  const { messages, calls, results } = state.totals;
  const { evicted } = state;
  const before = evicted === null ? [] : older.filter((held) => held.order <= evicted);
  if (before.length + state.window.length === messages + calls + results) {
    return { entries: [...before, ...state.window], edge: NO_EDGE, whole: true };
  }
  const start = firstWholeStep(before);
  if (start === null) {
    const edge = { splitStep: splitStepOf(state), callsGone: state.evictedCalls };
    return { entries: [...state.window], edge, whole: false };
  }
  const usable = before.slice(start);
  const callsGone = new Map(state.evictedCalls);
  for (const { entry } of usable) addTo(callsGone, entry, -1);
  return { entries: [...usable, ...state.window], edge: { splitStep: null, callsGone }, whole: false };
}

/** Counts a call as `+by`, a result as `-by`; ids that are even are not kept. */
export function addTo(balance: Map<string, number>, entry: Held['entry'], by: 1 | -1): void {
  if (entry.kind === 'message') return;
  const id = entry.call_id ?? '';
  const sum = (balance.get(id) ?? 0) + (entry.kind === 'tool_call' ? by : -by);
  if (sum === 0) balance.delete(id);
  else balance.set(id, sum);
}

function splitStepOf({ evicted, evictedStep }: ConversationState): Edge['splitStep'] {
  if (evictedStep === null || evictedStep.kind === 'message') return null;
  return evictedStep.step !== null || evictedStep.order === evicted ? { step: evictedStep.step } : null;
}

/** Index of the first entry that cannot be the rest of a step, or null. */
function firstWholeStep(entries: readonly Held[]): number | null {
  let step: string | null | undefined;
  let answered = false;
  for (const [index, { entry }] of entries.entries()) {
    if (entry.kind === 'message') return index;
    if (entry.kind === 'tool_result') {
      answered = true;
      continue;
    }
    const own = entry.step_id ?? null;
    if (step !== undefined && (own !== step || (own === null && answered))) return index;
    step = own;
    answered = false;
  }
  return null;
}
