import type { DerivationEvent } from '@palimpsest/events';
import type pg from 'pg';
import { type ConversationKey, loadStates, mapKey, saveStates } from './state-rows.js';

/**
 * Ids of the derivations a consumer has projected, per conversation. They lie in a row beside the fold state, because
 * the two are written from partitions of two topics, which may be handled side by side.
 */
function rowName(consumer: string): string {
  return `${consumer}/derived`;
}

export async function isDerived(
  pool: pg.Pool,
  generation: number,
  consumer: string,
  conversation: ConversationKey,
  id: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from palimpsest.derivation_state
     where generation = $1 and consumer = $2 and tenant = $3 and conversation_id = $4 and state::jsonb ? $5`,
    [generation, rowName(consumer), conversation.tenant, conversation.conversation, id],
  );
  return (rowCount ?? 0) > 0;
}

/** The events never seen before, each once, and their ids recorded in `tx`. */
export async function recordNew(
  tx: pg.ClientBase,
  generation: number,
  consumer: string,
  events: readonly DerivationEvent[],
): Promise<DerivationEvent[]> {
  const keys = new Map<string, ConversationKey>();
  for (const event of events) {
    const key = { tenant: event.tenant, conversation: event.conversation_id };
    keys.set(mapKey(key), key);
  }
  const known = await loadStates<string[]>(tx, generation, rowName(consumer), [...keys.values()]);
  const fresh = events.filter((event) => {
    const key = mapKey({ tenant: event.tenant, conversation: event.conversation_id });
    const ids = known.get(key) ?? [];
    if (ids.includes(event.event_id)) return false;
    known.set(key, [...ids, event.event_id]);
    return true;
  });
  const changed = new Set(
    fresh.map((event) => mapKey({ tenant: event.tenant, conversation: event.conversation_id })),
  );
  const states = [...changed].map((key) => ({
    ...(keys.get(key) as ConversationKey),
    state: known.get(key) ?? [],
  }));
  await saveStates(tx, generation, rowName(consumer), states);
  return fresh;
}
