import { type ConversationState, emptyState, readState } from '@palimpsest/strategy';
import type pg from 'pg';

export interface ConversationKey {
  tenant: string;
  conversationId: string;
}

/** The key of a conversation in a Map. NUL cannot stand in an id. */
export function mapKey(key: ConversationKey): string {
  return `${key.tenant}\0${key.conversationId}`;
}

/** The states of conversations, in one statement; an unknown conversation gets an empty one. */
export async function loadStates(
  tx: pg.PoolClient,
  generation: number,
  keys: readonly ConversationKey[],
): Promise<Map<string, ConversationState>> {
  const states = new Map<string, ConversationState>();
  if (keys.length === 0) return states;
  const result = await tx.query<{ tenant: string; conversation_id: string; state: string }>({
    name: 'truncator-load-states',
    text: `select v.tenant, v.conversation_id, v.state from palimpsest.context_views v
           join unnest($2::text[], $3::text[]) as k (tenant, conversation_id) using (tenant, conversation_id)
           where v.generation = $1`,
    values: [generation, keys.map((key) => key.tenant), keys.map((key) => key.conversationId)],
  });
  for (const row of result.rows) {
    states.set(mapKey({ tenant: row.tenant, conversationId: row.conversation_id }), readState(row.state));
  }
  for (const key of keys) {
    if (!states.has(mapKey(key))) states.set(mapKey(key), emptyState());
  }
  return states;
}
