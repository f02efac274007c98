import { type Edge, NO_EDGE } from './edge.js';
import type { Held } from './entry.js';

/**
 * A unit is what stands or falls together in a context: one message, or one step's calls with all their results.
 * `entries` are in the order in which a provider wants them: calls first, then results, at the place of the first call.
 */
export interface Unit {
  order: bigint;
  entries: Held[];
  tokens: number;
}

export interface Paired {
  /** Sorted by order. */
  units: Unit[];
  /** Calls without a result, results without a call, steps that are not whole. */
  unpaired: { held: Held; why: string }[];
}

const CALL_GONE = 'its call is no longer held';
const STEP_GONE = 'other calls of its step are no longer held';

/** Whether an entry is unpaired for the reason that its other half lies before the edge. */
export function isBeforeEdge(why: string): boolean {
  return why === CALL_GONE || why === STEP_GONE;
}

interface Step {
  id: string | null;
  calls: Held[];
}

/**
 * Groups sorted entries into units.
 * - A result belongs to the nearest call before it with its id that is still open (ids may be used again in later
 *   turns), else to the first open call after it (a call that arrived late). The last of several results stands.
 * - Calls that share a `step_id`, with no message between them, are one step: whole or out. Neighbouring calls without
 *   a step id were made together and are shown together, but an open one among them is left out alone.
 */
export function pairCalls(sorted: readonly Held[], edge: Edge = NO_EDGE): Paired {
  const unpaired: Paired['unpaired'] = [];
  const resultOf = matchResults(sorted, edge.callsGone, unpaired);
  const units: Unit[] = [];
  let step: Step | null = null;
  let split = edge.splitStep;
  let sinceCall = false;

  const close = (): void => {
    if (step === null) return;
    closeStep(step, resultOf, units, unpaired);
    step = null;
  };
  for (const held of sorted) {
    const { entry } = held;
    const id = entry.step_id ?? null;
    if (entry.kind === 'message') {
      close();
      split = null;
      units.push({ order: held.order, entries: [held], tokens: entry.tokens });
    } else if (entry.kind === 'tool_result') {
      sinceCall = true;
      if (split?.step === null) split = null;
    } else if (split !== null && split.step === id) {
      const result = resultOf.get(held);
      unpaired.push({ held, why: STEP_GONE });
      if (result !== undefined) unpaired.push({ held: result, why: STEP_GONE });
    } else {
      split = null;
      const open = step as Step | null;
      if (open !== null && open.id === id && (id !== null || !sinceCall)) open.calls.push(held);
      else {
        close();
        step = { id, calls: [held] };
      }
      sinceCall = false;
    }
  }
  close();
  units.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  return { units, unpaired };
}

function closeStep(
  step: Step,
  resultOf: ReadonlyMap<Held, Held>,
  units: Unit[],
  unpaired: Paired['unpaired'],
): void {
  const open = step.calls.filter((call) => !resultOf.has(call));
  const whole = step.id === null || open.length === 0;
  const shown = whole ? step.calls.filter((call) => resultOf.has(call)) : [];
  for (const call of open) unpaired.push({ held: call, why: 'the call has no result yet' });
  if (!whole) {
    for (const call of step.calls) {
      const result = resultOf.get(call);
      if (result === undefined) continue;
      unpaired.push({ held: call, why: 'another call of its step has no result yet' });
      unpaired.push({ held: result, why: 'another call of its step has no result yet' });
    }
  }
  const distinct = shown.filter((call, index) => {
    if (shown.findLastIndex((other) => other.entry.call_id === call.entry.call_id) === index) return true;
    const why = 'a later call of its step has the same id';
    unpaired.push({ held: call, why }, { held: resultOf.get(call) as Held, why });
    return false;
  });
  if (distinct.length === 0) return;
  const entries = [...distinct, ...distinct.map((call) => resultOf.get(call) as Held)];
  units.push({
    order: (distinct[0] as Held).order,
    entries,
    tokens: entries.reduce((sum, one) => sum + one.entry.tokens, 0),
  });
}

function matchResults(
  sorted: readonly Held[],
  callsGone: ReadonlyMap<string, number>,
  unpaired: Paired['unpaired'],
): Map<Held, Held> {
  const resultOf = new Map<Held, Held>();
  const open = new Map<string, Held[]>();
  const lastAnswered = new Map<string, Held>();
  const early = new Map<string, Held[]>();
  const gone = new Map(callsGone);
  for (const held of sorted) {
    const id = held.entry.call_id ?? '';
    if (held.entry.kind === 'tool_call') {
      const waiting = early.get(id)?.shift();
      if (waiting === undefined) push(open, id, held);
      else {
        resultOf.set(held, waiting);
        lastAnswered.set(id, held);
      }
    } else if (held.entry.kind === 'tool_result') {
      const call = open.get(id)?.pop();
      if (call !== undefined) {
        resultOf.set(call, held);
        lastAnswered.set(id, call);
        continue;
      }
      const callGone = gone.get(id) ?? 0;
      if (callGone > 0) {
        gone.set(id, callGone - 1);
        unpaired.push({ held, why: CALL_GONE });
        continue;
      }
      const answered = lastAnswered.get(id);
      if (answered === undefined) push(early, id, held);
      else {
        unpaired.push({
          held: resultOf.get(answered) as Held,
          why: 'a later result of the same call stands',
        });
        resultOf.set(answered, held);
      }
    }
  }
  for (const waiting of early.values()) {
    for (const held of waiting) unpaired.push({ held, why: 'its call is not held' });
  }
  return resultOf;
}

function push(map: Map<string, Held[]>, key: string, value: Held): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
