import type { ConversationState, SettingName } from './conversation-state.js';
import { addTo } from './edge.js';
import { compareHeld, type Held, insertSorted } from './entry.js';
import { keptMessages } from './kept-messages.js';
import type { StrategySettings } from './strategy.js';

/** Late entries kept at hand, and their tokens: enough until the next summary of their block takes them in. */
const LATE_KEPT = 16;
const LATE_TOKENS = 1000;

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
 * which they arrive: all but the newest leave once they and what follows them no longer fit, and one that arrives late
 * joins only if its place is behind the last that left. A step may be split by that; the reader then reads the rest.
 */
export function foldEntry(state: ConversationState, held: Held, settings: StrategySettings): void {
  const { entry } = held;
  if (entry.kind === 'message') state.totals.messages += 1;
  else if (entry.kind === 'tool_call') state.totals.calls += 1;
  else state.totals.results += 1;
  state.totals.tokens += entry.tokens;
  state.totals.original_tokens += entry.original_tokens;
  if (state.newest === null || held.order > state.newest) state.newest = held.order;
  unsettlePins(state, held);

  if (state.evicted !== null && held.order < state.evicted) {
    leaveWindow(state, held, settings);
    keepLate(state, held);
    return;
  }
  insertSorted(state.window, held);
  const { messages, inline_tokens } = settings.window;
  state.windowTokens += held.entry.tokens;
  let leaving = 0;
  while (
    leaving < state.window.length - 1 &&
    (state.windowTokens > inline_tokens || (messages !== null && state.window.length - leaving > messages))
  ) {
    const oldest = state.window[leaving] as Held;
    state.windowTokens -= oldest.entry.tokens;
    state.evicted = oldest.order;
    leaveWindow(state, oldest, settings);
    leaving += 1;
  }
  if (leaving > 0) state.window.splice(0, leaving);
}

/** A pin or its end. The last word by order stands, whatever order the words arrive in; its message is looked up after. */
export function foldPin(
  state: ConversationState,
  word: { messageId: string; pinned: boolean; order: bigint },
): void {
  const current = state.pins.get(word.messageId);
  if (current !== undefined && current.order > word.order) return;
  state.pins.set(word.messageId, { pinned: word.pinned, order: word.order, held: [] });
}

/** Corrections remembered, the newest ones. */
const CORRECTED_KEPT = 64;

/** A user corrected a message. */
export function foldCorrection(
  state: ConversationState,
  { messageId, order }: { messageId: string; order: bigint },
): void {
  const known = state.corrected.get(messageId);
  if (known !== undefined && known >= order) return;
  state.corrected.set(messageId, order);
  if (state.corrected.size <= CORRECTED_KEPT) return;
  const [oldest] = [...state.corrected].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  if (oldest !== undefined) state.corrected.delete(oldest[0]);
}

/** A call or result of a pinned step changes what the pin brings back: it is looked up anew. */
function unsettlePins(state: ConversationState, { entry }: Held): void {
  if (entry.kind === 'message') return;
  for (const pin of state.pins.values()) {
    const concerns = pin.held.some(
      ({ entry: held }) =>
        held.kind !== 'message' &&
        (held.call_id === entry.call_id || (entry.step_id !== undefined && held.step_id === entry.step_id)),
    );
    if (concerns) pin.held = [];
  }
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

/** Of what has left the window, the first messages, the rules and the newest long answers stay. */
function leaveWindow(state: ConversationState, held: Held, settings: StrategySettings): void {
  const { kind, step_id } = held.entry;
  if (kind !== 'tool_result' && (state.evictedStep === null || held.order > state.evictedStep.order)) {
    state.evictedStep = { order: held.order, kind, step: step_id ?? null };
  }
  addTo(state.evictedCalls, held.entry, 1);
  if (held.entry.kind !== 'message') return;
  const candidates = [...state.kept, held].toSorted(compareHeld);
  const { first, rules, large } = keptMessages(candidates, settings.window);
  state.kept = candidates.filter((one) => first.includes(one) || rules.includes(one) || large.includes(one));
}

/**
 * An entry that came after its place had left the window may lie in a block that is already summarized: it is at hand
 * until a later summary has seen it. The one part of the state that tells when something came.
 */
function keepLate(state: ConversationState, held: Held): void {
  const byOffset = [...state.late, held].toSorted((a, b) =>
    BigInt(a.entry.offset) < BigInt(b.entry.offset) ? -1 : 1,
  );
  let tokens = byOffset.reduce((sum, one) => sum + one.entry.tokens, 0);
  while (byOffset.length > LATE_KEPT || tokens > LATE_TOKENS) {
    tokens -= (byOffset.shift() as Held).entry.tokens;
  }
  state.late = byOffset.toSorted(compareHeld);
}
