import type { ChatEvent } from '@palimpsest/events';
import type { FoldState, WaitingItem } from './fold-state.js';
import { type BlockSettings, openCalls, selectBlock } from './select-block.js';

/** A source range that is due: one job. */
export interface Trigger {
  from: bigint;
  to: bigint;
  /** Log offset of the event that made it due: what came later is not part of it. */
  seenOffset: bigint;
  /** Messages of the range that are pinned and so not part of it. */
  pinned: string[];
  language: string | null;
  timeZone: string | null;
  agentType: string | null;
  taskId: string | null;
  clientId: string | null;
  agent: string | null;
}

/** How many past ids are kept to recognize an event that was appended twice. Producers repeat at once or not at all. */
const RECENT = 512;

/**
 * Folds one event of `chat.messages` into the state (changed in place) and returns the ranges now due. A function of
 * the events in log order and nothing else, so batches, restarts and redelivery change neither blocks nor jobs.
 */
export function foldChatEvent(
  state: FoldState,
  event: ChatEvent,
  offset: bigint,
  settings: BlockSettings,
): Trigger[] {
  const seen = shortId(event.event_id);
  if (state.erased || state.recent.includes(seen)) return [];
  state.recent.push(seen);
  if (state.recent.length > RECENT) state.recent.shift();
  state.task_id = event.task_id ?? state.task_id;
  state.client_id = event.client_id ?? state.client_id;
  state.agent = event.agent ?? state.agent;
  apply(state, event, offset);
  const triggers: Trigger[] = [];
  while (!state.opted_out) {
    const trigger = cutBlock(state, offset, settings);
    if (trigger === null) break;
    triggers.push(trigger);
  }
  if (triggers.length > 0) triggers.push(...againForLate(state, offset));
  return triggers;
}

function apply(state: FoldState, event: ChatEvent, offset: bigint): void {
  switch (event.type) {
    case 'message':
      if (event.role !== 'system' && event.role !== 'developer') {
        place(state, { id: event.event_id, order: orderOf(event, offset), kind: 'message' });
      }
      return;
    case 'tool_call': {
      const item: WaitingItem = {
        id: event.event_id,
        order: orderOf(event, offset),
        kind: 'tool_call',
        call: event.call_id,
      };
      if (event.step_id !== null) item.step = event.step_id;
      place(state, item);
      return;
    }
    case 'tool_result':
      place(state, {
        id: event.event_id,
        order: orderOf(event, offset),
        kind: 'tool_result',
        call: event.call_id,
      });
      return;
    case 'pin': {
      const waiting = state.waiting.find((item) => item.id === event.message_id);
      state.pins[event.message_id] = waiting?.order ?? null;
      return;
    }
    case 'unpin': {
      const order = state.pins[event.message_id];
      delete state.pins[event.message_id];
      if (order !== undefined && order !== null) markLate(state, BigInt(order));
      return;
    }
    case 'conversation_settings':
      state.language = event.language ?? state.language;
      state.time_zone = event.time_zone ?? state.time_zone;
      state.agent_type = event.agent_type ?? state.agent_type ?? null;
      state.verbatim = event.verbatim ?? state.verbatim;
      state.full_context = event.full_context ?? state.full_context;
      state.opted_out = state.verbatim || state.full_context;
      return;
    case 'erasure_requested':
      Object.assign(state, {
        erased: true,
        opted_out: true,
        waiting: [],
        pins: {},
        abandoned: [],
        recent: [],
      });
      return;
    default: // corrections, state patches, tools and phases are no part of a summary
  }
}

function orderOf(event: ChatEvent, offset: bigint): string {
  return String(event.seq ?? offset);
}

function place(state: FoldState, item: WaitingItem): void {
  const order = BigInt(item.order);
  if (state.border !== null && order <= BigInt(state.border)) {
    markLate(state, order);
    return;
  }
  if (item.id in state.pins) state.pins[item.id] = item.order;
  let at = state.waiting.length;
  while (at > 0 && isAfter(state.waiting[at - 1] as WaitingItem, item)) at -= 1;
  state.waiting.splice(at, 0, item);
}

function isAfter(a: WaitingItem, b: WaitingItem): boolean {
  const [first, second] = [BigInt(a.order), BigInt(b.order)];
  return first === second ? a.id > b.id : first > second;
}

/** Outside every block (before a call left behind) an event stays verbatim: there is no block to renew. */
function markLate(state: FoldState, order: bigint): void {
  const block = state.blocks.findLastIndex(({ from, to }) => BigInt(from) <= order && order <= BigInt(to));
  if (block >= 0 && !state.late.includes(block)) state.late.push(block);
}

function cutBlock(state: FoldState, offset: bigint, settings: BlockSettings): Trigger | null {
  const foldable = state.waiting.filter((item) => !(item.id in state.pins));
  const selected = selectBlock(foldable, settings, new Set(state.abandoned));
  if (selected === null) return null;
  const last = foldable[selected.end - 1] as WaitingItem;
  const behind = selected.start === 0 ? undefined : foldable[selected.start - 1];
  // Ranges touch, so that a late event always falls into one; only what was left behind lies between two.
  const before = behind?.order ?? state.border;
  const from = before === null ? 0n : BigInt(before) + 1n;
  const end = state.waiting.indexOf(last) + 1;
  if (behind !== undefined) {
    const gone = openCalls(foldable.slice(0, selected.start));
    state.abandoned = [...new Set([...state.abandoned, ...gone])];
  }
  state.waiting = state.waiting.slice(end);
  state.border = last.order;
  state.blocks.push({ from: String(from), to: last.order });
  return triggerOf(state, from, BigInt(last.order), offset);
}

function againForLate(state: FoldState, offset: bigint): Trigger[] {
  const late = state.late.toSorted((a, b) => a - b);
  state.late = [];
  return late.flatMap((index) => {
    const block = state.blocks[index];
    return block === undefined ? [] : [triggerOf(state, BigInt(block.from), BigInt(block.to), offset)];
  });
}

function triggerOf(state: FoldState, from: bigint, to: bigint, seenOffset: bigint): Trigger {
  const pinned = Object.keys(state.pins)
    .filter((id) => {
      const order = state.pins[id];
      return order !== null && order !== undefined && from <= BigInt(order) && BigInt(order) <= to;
    })
    .toSorted();
  return {
    from,
    to,
    seenOffset,
    pinned,
    language: state.language,
    timeZone: state.time_zone,
    agentType: state.agent_type ?? null,
    taskId: state.task_id,
    clientId: state.client_id,
    agent: state.agent,
  };
}

/** 64 of the 122 random bits of a UUID: enough to tell 512 events apart. */
function shortId(eventId: string): string {
  return eventId.replaceAll('-', '').slice(-16);
}
