import type { RunningStack } from './running-stack.js';

/** Everything a store says, without what may differ between two runs over the same events: the log's offsets. */
export interface StoreSnapshot {
  /** By tenant and conversation: events, view, summaries and facts, with orders as ranks. */
  conversations: Record<string, unknown>;
  accepted: unknown[];
  steps: unknown[];
  tasks: unknown[];
  costs: unknown[];
}

interface MessageRow {
  place: string;
  event_id: string;
  ord: string;
  kind: string;
  tokens: number;
  original_tokens: number;
  entry: string;
}
interface Placed {
  place: string;
}

/**
 * Reads the live generation and the ledger. In a conversation ordered by the log an order is an offset, so each order
 * is given as the number of events before it; ids that are made of orders are left out.
 */
export async function storeSnapshot(stack: RunningStack): Promise<StoreSnapshot> {
  const place = `tenant || '/' || conversation_id as place`;
  const messages = await stack.rows<MessageRow>(
    `select ${place}, event_id, ord::text, kind, tokens, original_tokens, entry
     from palimpsest.messages where generation = 1 order by place, messages.ord`,
  );
  const views = await stack.rows<Placed & { state: string }>(
    `select ${place}, state from palimpsest.context_views where generation = 1`,
  );
  const summaries = await stack.rows<Placed & { from_order: string; to_order: string }>(
    `select ${place}, from_order::text, to_order::text, text, carried, tokens, model, prompt_hash
     from palimpsest.summaries where generation = 1 order by place, summaries.from_order`,
  );
  const facts = await stack.rows<Placed & { source_order: string }>(
    `select ${place}, fact_id, fact_type, actor, subject, payload, valid_from, valid_until, source_id,
            source_order::text, superseded_by, tokens
     from palimpsest.facts where generation = 1 order by place, fact_id`,
  );
  const conversations: Record<string, unknown> = {};
  for (const [name, own] of group(messages)) {
    const orders = own.map((row) => BigInt(row.ord));
    const rank = (order: string): number => orders.filter((one) => one < BigInt(order)).length;
    conversations[name] = {
      events: own.map(({ entry, ord, ...row }) => ({
        ...row,
        rank: rank(ord),
        entry: ranked(JSON.parse(entry), rank),
      })),
      views: views.filter((row) => row.place === name).map((row) => ranked(JSON.parse(row.state), rank)),
      summaries: summaries
        .filter((row) => row.place === name)
        .map((row) => ({ ...row, from_order: rank(row.from_order), to_order: rank(row.to_order) })),
      facts: facts
        .filter((row) => row.place === name)
        .map((row) => ({ ...row, source_order: rank(row.source_order) })),
    };
  }
  return {
    conversations,
    accepted: await stack.rows(
      `select tenant, event_id, conversation_id, seq, topic, encode(digest, 'hex') as digest
       from palimpsest.accepted_events order by tenant, event_id`,
    ),
    // Ids of our own maintenance steps are made of orders; their number is not of the producer's making.
    steps: await stack.bill(
      `select * from steps where purpose = 'answer' order by tenant, conversation, answer_key`,
    ),
    tasks: await stack.bill('select * from tasks order by tenant, task'),
    costs: await stack.bill(
      `select tenant, agent, strategy, day, tasks, completed, spend, completed_spend, unpriced_steps
       from cost_per_completed_task where strategy != '' order by tenant, agent, strategy, day`,
    ),
  };
}

function group(rows: readonly MessageRow[]): Map<string, MessageRow[]> {
  const groups = new Map<string, MessageRow[]>();
  for (const row of rows) {
    const known = groups.get(row.place);
    if (known === undefined) groups.set(row.place, [row]);
    else known.push(row);
  }
  return groups;
}

const ORDERS = new Set(['order', 'newest', 'evicted']);

/** JSON of an entry or a state with ranks for orders and without offsets. */
function ranked(value: unknown, rank: (order: string) => number, key = ''): unknown {
  if (typeof value === 'string') return ORDERS.has(key) ? rank(value) : value;
  if (Array.isArray(value)) {
    if (key === 'evicted_step') return [rank(value[0] as string), ...value.slice(1)];
    if (key === 'setting' && value.length === 3) return [...value.slice(0, -1), rank(value.at(-1) as string)];
    return value.map((one) => ranked(one, rank, key === 'settings' ? 'setting' : key));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'offset');
  return Object.fromEntries(entries.map(([name, one]) => [name, ranked(one, rank, name)]));
}
