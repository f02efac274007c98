import { float8Array, int4Array, int8Array, textArray, uuidArray } from '@palimpsest/postgres';
import type pg from 'pg';

/** One row of `messages`. */
export interface MessageRow {
  tenant: string;
  conversationId: string;
  eventId: string;
  order: bigint;
  offset: bigint;
  kind: string;
  tokens: number;
  originalTokens: number;
  /** JSON in UTF-8. */
  entry: Buffer;
  occurredAt: number;
}

/**
 * Inserts rows that are new and returns the offsets of those that were; a row is not new where its event id or its
 * place in the conversation is taken. One statement per batch.
 */
export async function insertMessages(
  tx: pg.PoolClient,
  generation: number,
  rows: readonly MessageRow[],
): Promise<Set<bigint>> {
  if (rows.length === 0) return new Set();
  const result = await tx.query({
    name: 'truncator-messages',
    text: `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
             original_tokens, entry, occurred_at)
           select $1::int, tenant, conversation_id, event_id, ord, "offset", kind, tokens, original_tokens, entry,
             to_timestamp(at)
           from unnest($2::text[], $3::text[], $4::uuid[], $5::int8[], $6::int8[], $7::text[], $8::int4[], $9::int4[],
             $10::text[], $11::float8[])
             as r (tenant, conversation_id, event_id, ord, "offset", kind, tokens, original_tokens, entry, at)
           on conflict do nothing`,
    values: [
      generation,
      textArray(rows.map((row) => row.tenant)),
      textArray(rows.map((row) => row.conversationId)),
      uuidArray(rows.map((row) => row.eventId)),
      int8Array(rows.map((row) => row.order)),
      int8Array(rows.map((row) => row.offset)),
      textArray(rows.map((row) => row.kind)),
      int4Array(rows.map((row) => row.tokens)),
      int4Array(rows.map((row) => row.originalTokens)),
      textArray(rows.map((row) => row.entry)),
      float8Array(rows.map((row) => row.occurredAt / 1000)),
    ],
  });
  if (result.rowCount === rows.length) return new Set(rows.map((row) => row.offset));
  return newOffsets(tx, generation, rows);
}

/** Of the rows tried, the offsets of those that this transaction has put into the table: delivered again, none is. */
async function newOffsets(
  tx: pg.PoolClient,
  generation: number,
  rows: readonly MessageRow[],
): Promise<Set<bigint>> {
  const result = await tx.query<{ offset: string }>(
    `select m."offset" from palimpsest.messages m
     join unnest($2::text[], $3::text[], $4::uuid[], $5::bigint[]) as t (tenant, conversation_id, event_id, "offset")
       using (tenant, conversation_id, event_id, "offset")
     where m.generation = $1 and m.xmin = pg_current_xact_id()::xid`,
    [
      generation,
      rows.map((row) => row.tenant),
      rows.map((row) => row.conversationId),
      rows.map((row) => row.eventId),
      rows.map((row) => row.offset),
    ],
  );
  return new Set(result.rows.map((row) => BigInt(row.offset)));
}

/** Of rows that were not new, those whose event id is not in the table: their place is taken by another event. */
export async function findConflicts(
  tx: pg.PoolClient,
  generation: number,
  rows: readonly MessageRow[],
): Promise<MessageRow[]> {
  if (rows.length === 0) return [];
  const result = await tx.query<{ tenant: string; conversation_id: string; event_id: string }>(
    `select m.tenant, m.conversation_id, m.event_id from palimpsest.messages m
     join unnest($2::text[], $3::text[], $4::uuid[]) as t (tenant, conversation_id, event_id)
       using (tenant, conversation_id, event_id)
     where m.generation = $1`,
    [
      generation,
      rows.map((row) => row.tenant),
      rows.map((row) => row.conversationId),
      rows.map((row) => row.eventId),
    ],
  );
  // An event id is its conversation's own: another conversation or tenant may have used the same.
  const known = new Set(result.rows.map((row) => [row.tenant, row.conversation_id, row.event_id].join('\0')));
  return rows.filter((row) => !known.has([row.tenant, row.conversationId, row.eventId].join('\0')));
}

export interface ConflictRow {
  tenant: string;
  conversationId: string;
  eventId: string;
  offset: bigint;
  reason: string;
}

/** Returns the number of conflicts that were not yet known. */
export async function insertConflicts(
  tx: pg.PoolClient,
  generation: number,
  rows: readonly ConflictRow[],
): Promise<Set<bigint>> {
  if (rows.length === 0) return new Set();
  const result = await tx.query<{ offset: string }>(
    `insert into palimpsest.conflicts (generation, tenant, conversation_id, event_id, "offset", reason)
     select $1, * from unnest($2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[])
     on conflict do nothing returning "offset"`,
    [
      generation,
      rows.map((row) => row.tenant),
      rows.map((row) => row.conversationId),
      rows.map((row) => row.eventId),
      rows.map((row) => row.offset),
      rows.map((row) => row.reason),
    ],
  );
  return new Set(result.rows.map((row) => BigInt(row.offset)));
}

export interface ViewRow {
  tenant: string;
  conversationId: string;
  offset: bigint;
  /** JSON in UTF-8. */
  state: Buffer;
}

export async function upsertViews(
  tx: pg.PoolClient,
  generation: number,
  partition: number,
  rows: readonly ViewRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'truncator-views',
    text: `insert into palimpsest.context_views (generation, tenant, conversation_id, partition, "offset", state)
           select $1::int, tenant, conversation_id, $2::int, "offset", state
           from unnest($3::text[], $4::text[], $5::int8[], $6::text[]) as r (tenant, conversation_id, "offset", state)
           on conflict (generation, tenant, conversation_id)
           do update set "offset" = excluded."offset", state = excluded.state`,
    values: [
      generation,
      partition,
      textArray(rows.map((row) => row.tenant)),
      textArray(rows.map((row) => row.conversationId)),
      int8Array(rows.map((row) => row.offset)),
      textArray(rows.map((row) => row.state)),
    ],
  });
}
