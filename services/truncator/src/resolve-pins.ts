import {
  type ConversationState,
  countEntry,
  type Entry,
  type Held,
  hold,
  pairCalls,
} from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';
import type pg from 'pg';
import type { ConversationKey } from './load-states.js';

export interface Touched extends ConversationKey {
  state: ConversationState;
}

/**
 * Gives every pin that lacks its message the original, wherever it is by now; of a call or a result the whole pair.
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
    `select w.tenant, w.conversation_id, w.pin, m.entry, a.content
     from unnest($2::text[], $3::text[], $4::uuid[]) as w (tenant, conversation_id, pin)
     join palimpsest.messages t
       on t.generation = $1 and t.tenant = w.tenant and t.conversation_id = w.conversation_id and t.event_id = w.pin
     join palimpsest.messages m
       on m.generation = $1 and m.tenant = w.tenant and m.conversation_id = w.conversation_id
      and (m.event_id = t.event_id
           or (t.kind in ('tool_call', 'tool_result') and m.kind in ('tool_call', 'tool_result')
               and m.entry::json ->> 'call_id' = t.entry::json ->> 'call_id'))
     left join palimpsest.artifacts a
       on a.generation = $1 and a.tenant = m.tenant and a.conversation_id = m.conversation_id
      and a.artifact_id = m.entry::json ->> 'artifact'
     where t.kind in ('message', 'tool_call', 'tool_result')
     order by m.ord`,
    [
      generation,
      wanted.map((want) => want.tenant),
      wanted.map((want) => want.conversationId),
      wanted.map((want) => want.id),
    ],
  );
  for (const { tenant, conversationId, id, pin } of wanted) {
    const rows = result.rows.filter(
      (row) => row.pin === id && row.tenant === tenant && row.conversation_id === conversationId,
    );
    const held = rows.map((row) => original(JSON.parse(row.entry) as Entry, row.content, counter));
    const { units } = pairCalls(held);
    const unit = units.find((one) => one.entries.some(({ entry }) => entry.id === id));
    pin.held = unit?.entries ?? held.filter(({ entry }) => entry.id === id);
  }
}

function isComplete(held: readonly Held[]): boolean {
  const kinds = new Set(held.map(({ entry }) => entry.kind));
  return kinds.has('message') || (kinds.has('tool_call') && kinds.has('tool_result'));
}

function original(entry: Entry, content: string | null, counter: TokenCounter): Held {
  if (content === null) return hold(entry);
  const { artifact: _, dropped: __, ...rest } = { ...entry, text: content };
  rest.tokens = countEntry(counter, rest);
  return hold(rest);
}
