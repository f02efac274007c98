import type pg from 'pg';

export interface ConversationKey {
  tenant: string;
  conversation: string;
}

/** Key of a map by conversation; no id can imitate another pair. */
export function mapKey({ tenant, conversation }: ConversationKey): string {
  return JSON.stringify([tenant, conversation]);
}

/** States of one consumer for these conversations, by `mapKey`; a conversation without one is left out. */
export async function loadStates<T>(
  tx: pg.ClientBase,
  generation: number,
  consumer: string,
  keys: readonly ConversationKey[],
): Promise<Map<string, T>> {
  const { rows } = await tx.query<{ tenant: string; conversation_id: string; state: string }>(
    `select tenant, conversation_id, state from palimpsest.derivation_state
     where generation = $1 and consumer = $2
       and (tenant, conversation_id) in (select * from unnest($3::text[], $4::text[]))`,
    [generation, consumer, keys.map((key) => key.tenant), keys.map((key) => key.conversation)],
  );
  return new Map(
    rows.map((row) => [
      mapKey({ tenant: row.tenant, conversation: row.conversation_id }),
      JSON.parse(row.state) as T,
    ]),
  );
}

export async function saveStates(
  tx: pg.ClientBase,
  generation: number,
  consumer: string,
  states: readonly (ConversationKey & { state: unknown })[],
): Promise<void> {
  if (states.length === 0) return;
  await tx.query(
    `insert into palimpsest.derivation_state (generation, consumer, tenant, conversation_id, state)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[])
     on conflict (generation, consumer, tenant, conversation_id) do update set state = excluded.state`,
    [
      generation,
      consumer,
      states.map((one) => one.tenant),
      states.map((one) => one.conversation),
      states.map((one) => JSON.stringify(one.state)),
    ],
  );
}
