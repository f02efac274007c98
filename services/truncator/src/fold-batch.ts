import { type ChatEvent, TOPICS, topicOf } from '@palimpsest/events';
import type { Metrics } from '@palimpsest/observability';
import { type BatchContext, type DecodedRecord, PoisonError } from '@palimpsest/runtime';
import {
  type ConversationState,
  decideMode,
  encodeState,
  foldEntry,
  type Held,
  placeOf,
  type StrategySettings,
} from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';
import { type ObjectStore, storeArtifacts } from '@palimpsest/views';
import type pg from 'pg';
import { controlBody, foldControl } from './fold-control.js';
import type { HotStates } from './hot-states.js';
import { type ConversationKey, loadStates, mapKey } from './load-states.js';
import { refoldTasks } from './refold-tasks.js';
import { resolvePins } from './resolve-pins.js';
import { type Artifact, toEntry } from './to-entry.js';
import {
  type ConflictRow,
  findConflicts,
  insertConflicts,
  insertMessages,
  type MessageRow,
  upsertViews,
} from './write-batch.js';

export interface FoldTools {
  settings: StrategySettings;
  counter: TokenCounter;
  hot: HotStates;
  metrics: Pick<Metrics, 'conflicts_total'>;
  /** Where large originals go; without one they stay in Postgres. */
  objects?: ObjectStore | null;
}

/** An event on its way into a view. */
interface Placed {
  event: ChatEvent;
  key: ConversationKey;
  state: ConversationState;
  order: bigint;
  offset: bigint;
  held: Held | null;
  artifact: Artifact | null;
}

/**
 * One batch of chat.messages in one transaction: rows, artifacts, conflicts and views. What is folded follows from
 * which rows were new, so an event that comes again changes nothing, in this batch or any later one.
 */
export async function foldBatch(
  tx: pg.PoolClient,
  records: readonly DecodedRecord[],
  context: BatchContext,
  tools: FoldTools,
): Promise<void> {
  const { generation, partition } = context;
  refuseForeign(records);
  const states = await statesOf(tx, records, context, tools.hot);
  const conflicts: ConflictRow[] = [];
  const placed: Placed[] = [];
  for (const { record, event } of records) {
    const one = placeEvent(event as ChatEvent, record.offset, states, tools, conflicts);
    if (one !== null) placed.push(one);
  }

  const rows = placed.map((one) => toRow(one, tools.counter));
  const fresh = await insertMessages(tx, generation, rows);
  if (fresh.size < rows.length) {
    const stale = rows.filter((row) => !fresh.has(row.offset));
    for (const row of await findConflicts(tx, generation, stale)) {
      conflicts.push({ ...row, reason: `seq ${row.order} is taken by another event` });
    }
  }

  const touched: TouchedViews = new Map();
  for (const one of placed) {
    if (!fresh.has(one.offset)) continue;
    fold(one, tools.settings);
    touch(touched, one.key, one.state, one.offset);
  }
  await storeArtifacts(
    tx,
    generation,
    placed.flatMap((one) =>
      one.artifact !== null && fresh.has(one.offset) ? [{ ...one.artifact, ...one.key }] : [],
    ),
    tools.objects ?? null,
  );
  const reported = await insertConflicts(tx, generation, conflicts);
  for (const conflict of conflicts) {
    if (!reported.has(conflict.offset)) continue;
    tools.metrics.conflicts_total.inc();
    const { tenant, conversationId } = conflict;
    const state = states.get(mapKey(conflict)) as ConversationState;
    state.conflicts += 1;
    touch(touched, { tenant, conversationId }, state, conflict.offset);
  }
  const views = [...touched.values()];
  const ofViews = views.map(({ key, state }) => ({ ...key, state }));
  await resolvePins(tx, generation, ofViews, tools.counter);
  await refoldTasks(tx, generation, ofViews);
  const sizes = new Map<string, number>();
  const written = views.map(({ key, state, offset }) => {
    const row = { ...key, offset, state: encodeState(state) };
    sizes.set(mapKey(key), row.state.length);
    return row;
  });
  await upsertViews(tx, generation, partition, written);
  for (const [key, state] of states) tools.hot.set(context, key, state, sizes.get(key));
  tools.hot.trim(partition);
}

/** An event of another topic decodes as well as ours: as a row of this conversation it would be one nobody sent. */
function refuseForeign(records: readonly DecodedRecord[]): void {
  for (const { record, event } of records) {
    if (topicOf(event.type) === TOPICS.messages) continue;
    throw new PoisonError(`An event of type "${event.type}" does not belong on ${record.topic}.`, {
      offset: record.offset,
      errorClass: 'wrong-topic',
    });
  }
}

type TouchedViews = Map<string, { key: ConversationKey; state: ConversationState; offset: bigint }>;

/** A view's offset is the highest that changed it, whatever order the changes are noted in. */
function touch(views: TouchedViews, key: ConversationKey, state: ConversationState, offset: bigint): void {
  const known = views.get(mapKey(key))?.offset ?? offset;
  views.set(mapKey(key), { key, state, offset: offset > known ? offset : known });
}

async function statesOf(
  tx: pg.PoolClient,
  records: readonly DecodedRecord[],
  context: BatchContext,
  hot: HotStates,
): Promise<Map<string, ConversationState>> {
  const states = new Map<string, ConversationState>();
  const cold = new Map<string, ConversationKey>();
  for (const { event } of records) {
    const key = { tenant: event.tenant, conversationId: event.conversation_id };
    const text = mapKey(key);
    if (states.has(text)) continue;
    const state = hot.get(context, text);
    if (state === undefined) cold.set(text, key);
    else states.set(text, state);
  }
  for (const [text, state] of await loadStates(tx, context.generation, [...cold.values()]))
    states.set(text, state);
  return states;
}

function placeEvent(
  event: ChatEvent,
  offset: bigint,
  states: ReadonlyMap<string, ConversationState>,
  tools: FoldTools,
  conflicts: ConflictRow[],
): Placed | null {
  const key = { tenant: event.tenant, conversationId: event.conversation_id };
  const state = states.get(mapKey(key)) as ConversationState;
  const place = placeOf(state, { seq: event.seq, offset });
  if ('conflict' in place) {
    conflicts.push({ ...key, eventId: event.event_id, offset, reason: place.conflict });
    return null;
  }
  decideMode(state, event.seq);
  const one: Placed = { event, key, state, order: place.order, offset, held: null, artifact: null };
  if (event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result') {
    const { held, artifact } = toEntry(event, { order: place.order, offset }, tools.settings, tools.counter);
    one.held = held;
    one.artifact = artifact;
  }
  return one;
}

function toRow({ event, key, order, offset, held }: Placed, counter: TokenCounter): MessageRow {
  return {
    tenant: key.tenant,
    conversationId: key.conversationId,
    eventId: event.event_id,
    order,
    offset,
    kind: event.type,
    tokens: held?.entry.tokens ?? 0,
    originalTokens: held?.entry.original_tokens ?? 0,
    entry: held?.bytes ?? controlBody(event, counter),
    occurredAt: event.occurred_at,
  };
}

function fold({ event, state, order, held }: Placed, settings: StrategySettings): void {
  if (held !== null) {
    foldEntry(state, held, settings);
    return;
  }
  foldControl(state, event, order);
}
