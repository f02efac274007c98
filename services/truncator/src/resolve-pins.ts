import { type ConversationState, type Entry, type Held, hold } from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';
import type pg from 'pg';
import type { ConversationKey } from './load-states.js';
import { pinnedEntries } from './pinned-entries.js';

export interface Touched extends ConversationKey {
  state: ConversationState;
}

/**
 * Gives every pin that lacks its message the original, wherever it is by now; of a call or a result the whole step.
 * One statement for all conversations of a batch, none where no pin waits.
 */
export async function resolvePins(
  tx: pg.PoolClient,
  generation: number,
  touched: readonly Touched[],
  counter: TokenCounter,
): Promise<void> {
  const wanted = touched.flatMap(({ tenant, conversationId, state }) =>
    [...state.pins]
      .filter(([, pin]) => pin.pinned && !isComplete(pin.held))
      .map(([id, pin]) => ({ tenant, conversationId, id, pin })),
  );
  if (wanted.length === 0) return;
  const result = await tx.query<{
    tenant: string;
    conversation_id: string;
    pin: string;
    entry: string;
    content: string | null;
  }>(
    `with wanted as (
       select w.tenant, w.conversation_id, w.pin, m.kind, m.entry
       from unnest($2::text[], $3::text[], $4::uuid[]) as w (tenant, conversation_id, pin)
       join palimpsest.messages m
         on m.generation = $1 and m.tenant = w.tenant and m.conversation_id = w.conversation_id and m.event_id = w.pin
       where m.kind in ('message', 'tool_call', 'tool_result')
     ), tools as materialized (
       select m.tenant, m.conversation_id, m.event_id, m.kind, m.ord, m.entry,
         m.entry::json ->> 'call_id' as call_id, m.entry::json ->> 'step_id' as step_id
       from (select distinct tenant, conversation_id from wanted where kind <> 'message') as c
       join palimpsest.messages m
         on m.generation = $1 and m.tenant = c.tenant and m.conversation_id = c.conversation_id
       where m.kind in ('tool_call', 'tool_result')
     ), found as (
       select tenant, conversation_id, pin, entry, 0 as ord from wanted where kind = 'message'
       union all
       select w.tenant, w.conversation_id, w.pin, t.entry, t.ord
       from wanted w join tools t using (tenant, conversation_id)
       where w.kind <> 'message' and t.call_id in (
         select w.entry::json ->> 'call_id'
         union
         select s.call_id from tools s
         where s.tenant = w.tenant and s.conversation_id = w.conversation_id and s.step_id in (
           select o.step_id from tools o
           where o.tenant = w.tenant and o.conversation_id = w.conversation_id
             and o.call_id = w.entry::json ->> 'call_id')
       )
     )
     select f.tenant, f.conversation_id, f.pin, f.entry, a.content
     from found f
     left join palimpsest.artifacts a
       on a.generation = $1 and a.tenant = f.tenant and a.conversation_id = f.conversation_id
      and a.artifact_id = f.entry::json ->> 'artifact'
     order by f.ord`,
    [
      generation,
      wanted.map((want) => want.tenant),
      wanted.map((want) => want.conversationId),
      wanted.map((want) => want.id),
    ],
  );
  for (const { tenant, conversationId, id, pin } of wanted) {
    const entries: Held[] = [];
    const originals = new Map<string, string>();
    for (const row of result.rows) {
      if (row.pin !== id || row.tenant !== tenant || row.conversation_id !== conversationId) continue;
      const held = hold(JSON.parse(row.entry) as Entry);
      entries.push(held);
      if (row.content !== null && held.entry.artifact !== undefined)
        originals.set(held.entry.artifact, row.content);
    }
    pin.held = pinnedEntries(id, entries, originals, counter);
  }
}

function isComplete(held: readonly Held[]): boolean {
  const kinds = new Set(held.map(({ entry }) => entry.kind));
  return kinds.has('message') || (kinds.has('tool_call') && kinds.has('tool_result'));
}
