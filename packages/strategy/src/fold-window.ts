import type { ConversationState, SettingName } from './conversation-state.js';
import { compareHeld, type Held, insertSorted, isRule } from './entry.js';
import type { StrategySettings } from './strategy.js';

/** Rules kept when they have left the window: the first and the newest ones. More would let a chatty agent grow the row. */
const RULES_KEPT = 16;

/**
 * The place of an event in its conversation. By `seq` where the first event carried one, else by log offset.
 * A mix is a conflict and gets no place.
 */
export function placeOf(
  state: ConversationState,
  event: { seq: bigint | null; offset: bigint },
): { order: bigint } | { conflict: string } {
  const mode = event.seq === null ? 'log' : 'seq';
  if (state.mode !== null && state.mode !== mode) {
    return {
      conflict:
        state.mode === 'seq'
          ? 'the conversation is ordered by seq, this event carries none'
          : 'the conversation is ordered by the log, this event carries a seq',
    };
  }
  return { order: event.seq ?? event.offset };
}

/** Sets the order of the conversation by its first event. */
export function decideMode(state: ConversationState, seq: bigint | null): void {
  state.mode ??= seq === null ? 'log' : 'seq';
}

/**
 * Folds an entry into the window. Given a set of entries, the window that results does not depend on the order in
 * which they arrive: an entry leaves when what follows it no longer fits, and one that arrives late joins only if its
 * place is behind the last that left.
 */
export function foldEntry(state: ConversationState, held: Held, settings: StrategySettings): void {
  const { entry } = held;
  if (entry.kind === 'message') state.totals.messages += 1;
  else if (entry.kind === 'tool_call') state.totals.calls += 1;
  else state.totals.results += 1;
  state.totals.tokens += entry.tokens;
  state.totals.original_tokens += entry.original_tokens;
  if (state.newest === null || held.order > state.newest) state.newest = held.order;

  if (state.evicted !== null && held.order < state.evicted) {
    leaveWindow(state, held, settings);
    return;
  }
  insertSorted(state.window, held);
  let tokens = 0;
  for (const one of state.window) tokens += one.entry.tokens;
  const { messages, inline_tokens } = settings.window;
  let evictable = newestUnitStart(state.window);
  while (evictable > 0 && (tokens > inline_tokens || (messages !== null && state.window.length > messages))) {
    const oldest = state.window.shift() as Held;
    evictable -= 1;
    tokens -= oldest.entry.tokens;
    state.evicted = oldest.order;
    leaveWindow(state, oldest, settings);
  }
}

/**
 * Index of the first entry of the newest unit: a message, or the calls of one step with what follows them. It stays
 * whatever its size; the assembly cuts it to the budget.
 */
export function newestUnitStart(sorted: readonly Held[]): number {
  const last = sorted.length - 1;
  let start = last;
  let step: string | null | undefined;
  for (let index = last; index >= 0; index -= 1) {
    const { kind, step_id } = (sorted[index] as Held).entry;
    if (kind === 'message') break;
    if (kind === 'tool_result') {
      if (step === null) break;
      continue;
    }
    if (step !== undefined && (step_id ?? null) !== step) break;
    step = step_id ?? null;
    start = index;
  }
  return Math.max(0, start);
}

/** A pin or its end. The last word by order stands, whatever order the words arrive in. */
export function foldPin(
  state: ConversationState,
  word: { messageId: string; pinned: boolean; order: bigint; held: Held[] },
): void {
  const current = state.pins.get(word.messageId);
  if (current !== undefined && current.order > word.order) return;
  state.pins.set(word.messageId, {
    pinned: word.pinned,
    order: word.order,
    held: word.pinned ? word.held : [],
  });
}

/** A message that was pinned before it was seen. */
export function foldPinned(state: ConversationState, messageId: string, held: Held[]): void {
  const pin = state.pins.get(messageId);
  if (pin?.pinned === true) pin.held = held;
}

/** Settings: per name the last word by order stands. */
export function foldSettings(
  state: ConversationState,
  order: bigint,
  settings: Partial<Record<SettingName, string | boolean | null>>,
): void {
  for (const [name, value] of Object.entries(settings) as [SettingName, string | boolean | null][]) {
    if (value === null) continue;
    const current = state.settings.get(name);
    if (current === undefined || current.order <= order) state.settings.set(name, { value, order });
  }
}

/** Of what has left the window, the first messages and the rules stay. */
function leaveWindow(state: ConversationState, held: Held, settings: StrategySettings): void {
  const step = held.entry.step_id;
  if (step !== undefined && (state.evictedStep === null || held.order > state.evictedStep.order)) {
    state.evictedStep = { step, order: held.order };
  }
  if (held.entry.kind !== 'message') {
    const id = held.entry.call_id ?? '';
    const balance = (state.evictedCalls.get(id) ?? 0) + (held.entry.kind === 'tool_call' ? 1 : -1);
    if (balance === 0) state.evictedCalls.delete(id);
    else state.evictedCalls.set(id, balance);
    return;
  }
  const candidates = [...state.kept, held].toSorted(compareHeld);
  const first = new Set(candidates.slice(0, settings.window.pinned_first));
  const rules = candidates.filter((one) => isRule(one.entry));
  const keptRules = new Set(rules.length <= RULES_KEPT ? rules : [rules[0], ...rules.slice(1 - RULES_KEPT)]);
  state.kept = candidates.filter((one) => first.has(one) || keptRules.has(one));
}
