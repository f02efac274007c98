import {
  type DeclaredTools,
  type Fact,
  type Held,
  type Entry,
  declareTools,
  hold,
  readState,
  type ConversationState,
  type SummaryLeaf,
} from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import type pg from 'pg';

/** A conversation's view with its memory, as one statement reads them. */
export interface View {
  partition: number;
  offset: bigint;
  state: ConversationState;
  leaves: SummaryLeaf[];
  facts: Fact[];
  /** Null where none were declared. */
  tools: DeclaredTools | null;
}

interface ViewRow {
  live: number | null;
  /** Null where there is no view. */
  partition: number | null;
  offset: string;
  state: string;
  leaves: [from: string, to: string, seen: string, text: string, carried: string[]][];
  facts: [
    type: string,
    actor: string,
    subject: string,
    payload: string,
    until: number | null,
    source: string,
  ][];
  tools: { ord: string; entry: string } | null;
}

export interface ViewKey {
  generation: number;
  tenant: string;
  conversation: string;
}

/**
 * View, summary leaves and the facts valid at `now` (ms), null where there is no such conversation; and the generation
 * that was live as they were read.
 */
export async function loadView(
  pool: pg.Pool,
  key: ViewKey,
  now: number,
): Promise<{ view: View | null; liveGeneration: number | null }> {
  const { rows } = await pool.query<ViewRow>({
    name: 'context-load-view',
    text: `
      select (select g.generation from palimpsest.generations g where g.status = 'live') as live, v.partition, v."offset", v.state,
        (select coalesce(json_agg(json_build_array(s.from_order::text, s.to_order::text, s.seen_offset::text, s.text,
                 to_json(s.carried)) order by s.from_order), '[]'::json)
         from palimpsest.summaries s
         where s.generation = $1 and s.tenant = $2 and s.conversation_id = $3) as leaves,
        (select coalesce(json_agg(json_build_array(f.fact_type, f.actor, f.subject, f.payload,
                 floor(extract(epoch from f.valid_until) * 1000)::bigint, f.source_order::text)
                 order by f.source_order, f.fact_id), '[]'::json)
         from palimpsest.facts f
         where f.generation = $1 and f.tenant = $2 and f.conversation_id = $3 and f.superseded_by is null
           and (f.valid_until is null or f.valid_until > to_timestamp($4::float8 / 1000))) as facts,
        (select json_build_object('ord', t.ord::text, 'entry', t.entry)
         from palimpsest.messages t
         where t.generation = $1 and t.tenant = $2 and t.conversation_id = $3 and t.kind = 'tools_declared'
         order by t.ord desc limit 1) as tools
      from (select) as always
      left join palimpsest.context_views v
        on v.generation = $1 and v.tenant = $2 and v.conversation_id = $3`,
    values: [key.generation, key.tenant, key.conversation, now],
  });
  const row = rows[0] as ViewRow;
  return { view: viewOf(row), liveGeneration: row.live };
}

function viewOf(row: ViewRow): View | null {
  if (row.partition === null) return null;
  return {
    partition: row.partition,
    offset: BigInt(row.offset),
    state: readState(row.state),
    leaves: row.leaves.map(([from, to, seen, text, carried]) => ({
      from: BigInt(from),
      to: BigInt(to),
      seen: BigInt(seen),
      text,
      carried,
    })),
    tools: row.tools === null ? null : toolsOf(row.tools),
    facts: row.facts.map(([type, actor, subject, payload, until, source]) => ({
      type,
      actor,
      subject,
      payload,
      validUntil: until === null ? null : Number(until),
      sourceOrder: BigInt(source),
    })),
  };
}

/** A row of a build that did not count tools has none of their tokens: they are counted here. */
function toolsOf({ ord, entry }: NonNullable<ViewRow['tools']>): DeclaredTools {
  const { tools } = JSON.parse(entry) as { tools: DeclaredTools['tools'] };
  const isCounted = tools.every(({ tokens }) => typeof tokens === 'number');
  return { order: BigInt(ord), tools: isCounted ? tools : declareTools(tools, tokenCounter(null)) };
}

/** Up to `count` entries at or before `edge`, the newest of them, in order. Fewer only where the conversation begins. */
export async function loadOlder(pool: pg.Pool, key: ViewKey, edge: bigint, count: number): Promise<Held[]> {
  const { rows } = await pool.query<{ entry: string }>({
    name: 'context-load-older',
    text: `select entry from palimpsest.messages
           where generation = $1 and tenant = $2 and conversation_id = $3 and ord <= $4
             and kind in ('message', 'tool_call', 'tool_result')
           order by ord desc limit $5`,
    values: [key.generation, key.tenant, key.conversation, edge, count],
  });
  return rows.map((row) => hold(JSON.parse(row.entry) as Entry)).toReversed();
}

/** Originals of all that was cut in a conversation, by artifact id; but for those too large for any context. */
export async function loadOriginals(pool: pg.Pool, key: ViewKey): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ artifact_id: string; content: string }>({
    name: 'context-load-originals',
    text: `select artifact_id, content from palimpsest.artifacts
           where generation = $1 and tenant = $2 and conversation_id = $3 and content is not null`,
    values: [key.generation, key.tenant, key.conversation],
  });
  return new Map(rows.map((row) => [row.artifact_id, row.content]));
}
