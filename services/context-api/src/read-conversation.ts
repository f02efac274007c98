import { parseJson, TOPICS } from '@palimpsest/events';
import { formatPosition } from '@palimpsest/views';
import type pg from 'pg';

/** Whose views are read. Every statement here names all three: no row of another tenant can be met. */
export interface ConversationOf {
  generation: number;
  tenant: string;
  conversation: string;
}

export interface ConversationState {
  /** Up to where the view is folded; null where nothing is yet. */
  position: string | null;
  orderedBy: 'seq' | 'log' | null;
  counts: Record<string, number>;
  tokens: number;
  originalTokens: number;
  summaries: number;
  facts: number;
  conflicts: { event_id: string; reason: string }[];
}

/** What is known of a conversation; null where the tenant has none of that id, accepted or folded. */
export async function readState(pool: pg.Pool, of: ConversationOf): Promise<ConversationState | null> {
  const values = [of.generation, of.tenant, of.conversation];
  const { rows } = await pool.query<{
    accepted: boolean;
    ordered_by_seq: boolean | null;
    partition: number | null;
    offset: string | null;
    summaries: number;
    facts: number;
  }>({
    name: 'conversation-state',
    text: `select known.tenant is not null as accepted, known.ordered_by_seq, view.partition, view."offset",
                  (select count(*)::int from palimpsest.summaries
                    where generation = $1 and tenant = $2 and conversation_id = $3) as summaries,
                  (select count(*)::int from palimpsest.facts
                    where generation = $1 and tenant = $2 and conversation_id = $3) as facts
             from (select 1) as one
             left join palimpsest.accepted_conversations known
                    on known.tenant = $2 and known.conversation_id = $3
             left join palimpsest.context_views view
                    on view.generation = $1 and view.tenant = $2 and view.conversation_id = $3`,
    values,
  });
  const row = rows[0];
  if (row === undefined || (!row.accepted && row.offset === null)) return null;
  const counted = await pool.query<{ kind: string; n: number; tokens: string; original: string }>({
    name: 'conversation-counts',
    text: `select kind, count(*)::int as n, sum(tokens) as tokens, sum(original_tokens) as original
             from palimpsest.messages where generation = $1 and tenant = $2 and conversation_id = $3
            group by kind order by kind`,
    values,
  });
  const conflicts = await pool.query<{ event_id: string; reason: string }>({
    name: 'conversation-conflicts',
    text: `select event_id, reason from palimpsest.conflicts
            where generation = $1 and tenant = $2 and conversation_id = $3
            order by "offset", event_id limit 100`,
    values,
  });
  return {
    position:
      row.partition === null || row.offset === null
        ? null
        : formatPosition(row.partition, BigInt(row.offset)),
    orderedBy: row.ordered_by_seq === null ? null : row.ordered_by_seq ? 'seq' : 'log',
    counts: Object.fromEntries(counted.rows.map((one) => [one.kind, one.n])),
    tokens: sum(counted.rows.map((one) => one.tokens)),
    originalTokens: sum(counted.rows.map((one) => one.original)),
    summaries: row.summaries,
    facts: row.facts,
    conflicts: conflicts.rows,
  };
}

/** Records of the conversation's partition that the views do not hold yet, other conversations' included. */
export async function readLag(
  pool: pg.Pool,
  place: { generation: number; consumer: string; partition: number; high: bigint },
): Promise<bigint> {
  const { rows } = await pool.query<{ next_offset: string }>({
    name: 'view-checkpoint',
    text: `select next_offset from palimpsest.checkpoints
            where generation = $1 and consumer = $2 and topic = $3 and partition = $4`,
    values: [place.generation, place.consumer, TOPICS.messages, place.partition],
  });
  const behind = place.high - BigInt(rows[0]?.next_offset ?? 0);
  return behind > 0n ? behind : 0n;
}

export async function isKnown(pool: pg.Pool, of: ConversationOf): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>({
    name: 'conversation-known',
    text: `select exists (select from palimpsest.accepted_conversations where tenant = $2 and conversation_id = $3)
               or exists (select from palimpsest.context_views
                           where generation = $1 and tenant = $2 and conversation_id = $3) as known`,
    values: [of.generation, of.tenant, of.conversation],
  });
  return rows[0]?.known === true;
}

/** A place in a list sorted by order and id: the next page starts behind it. */
export interface Cursor {
  order: bigint;
  id: string;
}

export interface Page {
  limit: number;
  after: Cursor | null;
}

/** Every event of the conversation with its rendition, by order. */
export async function readMessages(pool: pg.Pool, of: ConversationOf, page: Page): Promise<object[]> {
  const { rows } = await pool.query({
    name: 'conversation-messages',
    text: `select event_id, ord::text as "order", kind, tokens, original_tokens, occurred_at, entry
             from palimpsest.messages
            where generation = $1 and tenant = $2 and conversation_id = $3
              and ($4::bigint is null or (ord, event_id) > ($4, $5::uuid))
            order by ord, event_id limit $6`,
    values: pageValues(of, page),
  });
  return rows.map((row: { entry: string }) => ({ ...row, entry: parseJson(row.entry) }));
}

export async function readSummaries(pool: pg.Pool, of: ConversationOf, page: Page): Promise<object[]> {
  const { rows } = await pool.query<object>({
    name: 'conversation-summaries',
    text: `select event_id, from_order::text as "order", from_order::text, to_order::text, text, carried, tokens, model
             from palimpsest.summaries
            where generation = $1 and tenant = $2 and conversation_id = $3
              and ($4::bigint is null or (from_order, event_id) > ($4, $5::uuid))
            order by from_order, event_id limit $6`,
    values: pageValues(of, page),
  });
  return rows;
}

/** All facts, superseded ones too, by the order of their sources. */
export async function readFacts(pool: pg.Pool, of: ConversationOf, page: Page): Promise<object[]> {
  const { rows } = await pool.query<object>({
    name: 'conversation-facts',
    text: `select fact_id as event_id, source_order::text as "order", fact_id, fact_type, actor, subject, payload,
                  valid_from, valid_until, source_id, derivation_id, superseded_by, tokens
             from palimpsest.facts
            where generation = $1 and tenant = $2 and conversation_id = $3
              and ($4::bigint is null or (source_order, fact_id) > ($4, $5::uuid))
            order by source_order, fact_id limit $6`,
    values: pageValues(of, page),
  });
  return rows;
}

function pageValues(of: ConversationOf, { after, limit }: Page): unknown[] {
  return [of.generation, of.tenant, of.conversation, after?.order ?? null, after?.id ?? null, limit];
}

function sum(numbers: readonly string[]): number {
  return numbers.reduce((total, one) => total + Number(one), 0);
}
