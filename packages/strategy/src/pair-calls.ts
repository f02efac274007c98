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

/** What is known of the entries before the first one held. */
export interface Edge {
  /** This step lost calls at the edge; what is left of it before the first message is out. */
  splitStep: string | null;
  /** Per call id, how many results are held whose call is not. */
  callsGone: ReadonlyMap<string, number>;
}

const NO_EDGE: Edge = { splitStep: null, callsGone: new Map() };

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
  let sinceCall = false;
  let sawMessage = false;

  const close = (): void => {
    if (step === null) return;
    closeStep(step, resultOf, units, unpaired);
    step = null;
  };
  for (const held of sorted) {
    const { entry } = held;
    if (entry.kind === 'message') {
      close();
      sawMessage = true;
      units.push({ order: held.order, entries: [held], tokens: entry.tokens });
    } else if (entry.kind === 'tool_result') {
      sinceCall = true;
    } else if (!sawMessage && edge.splitStep !== null && entry.step_id === edge.splitStep) {
      unpaired.push({ held, why: 'other calls of its step are no longer held' });
      const result = resultOf.get(held);
      if (result !== undefined)
        unpaired.push({ held: result, why: 'other calls of its step are no longer held' });
    } else {
      const id: string | null = entry.step_id ?? null;
      const open = step as Step | null;
      const joins =
        open !== null &&
        open.id === id &&
        (id !== null || !sinceCall) &&
        open.calls.every((call) => call.entry.call_id !== entry.call_id);
      if (joins && open !== null) open.calls.push(held);
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
  if (shown.length === 0) return;
  const entries = [...shown, ...shown.map((call) => resultOf.get(call) as Held)];
  units.push({
    order: (shown[0] as Held).order,
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
        unpaired.push({ held, why: 'its call is no longer held' });
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
