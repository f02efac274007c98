import {
  type Entry,
  fuseRanks,
  passageOf,
  type Recalled,
  stemsOf,
  trigramLikeness,
} from '@palimpsest/strategy';
import type pg from 'pg';
import type { ViewKey } from './load-view.js';

/** Words of a query that are searched for; a query is a sentence, not a document. */
const STEMS = 24;
/** Newest messages that are looked at, and originals of what was cut. */
const READ_MESSAGES = 5000;
const READ_ORIGINALS = 50;
/** Of one text, from its start. */
const READ_CHARS = 200_000;
/** Hits that are ranked. */
const RANKED = 60;

interface Row {
  event_id: string;
  ord: string;
  entry: string;
  /** The original, where the rendition is shorter. */
  content: string | null;
  /** Share of the query's words that it has, each by its rarity in the conversation, from 0 to 1. */
  score: number;
  rank: number;
}

/**
 * What a query finds in a conversation, best first: messages, calls and results, and the originals of what was cut. The
 * rows of the one conversation are read by its key and need no index of words, for which every event would pay. Three
 * rankings are fused by their ranks: words by their rarity (in every language), Postgres' full text (English and Russian)
 * and trigrams. Hits whose words score below `floor`, from 0 to 1, are dropped.
 */
export async function loadRecalled(
  pool: pg.Pool,
  key: ViewKey,
  query: string,
  floor: number,
): Promise<Recalled[]> {
  const stems = [...stemsOf(query)].slice(0, STEMS);
  if (stems.length === 0) return [];
  // Lower case of other scripts than Latin depends on the locale of the database: forms are given instead.
  const forms = stems.flatMap((stem) => formsOf(stem).map((form) => [stem, form] as const));
  const { rows } = await pool.query<Row>({
    name: 'context-recall',
    text: `
      with read as materialized (
        (select m.event_id, m.ord, m.entry, null as content
         from palimpsest.messages m
         where m.generation = $1 and m.tenant = $2 and m.conversation_id = $3
           and m.kind in ('message', 'tool_call', 'tool_result')
         order by m.ord desc limit ${READ_MESSAGES})
        union all
        (select m.event_id, m.ord, m.entry, left(a.content, ${READ_CHARS})
         from palimpsest.artifacts a
         join palimpsest.messages m
           on m.generation = $1 and m.tenant = $2 and m.conversation_id = $3
          and m.kind in ('message', 'tool_call', 'tool_result') and m.entry::json ->> 'artifact' = a.artifact_id
         where a.generation = $1 and a.tenant = $2 and a.conversation_id = $3 and a.content is not null
         order by m.ord desc limit ${READ_ORIGINALS})
      ), matched as (
        select distinct r.event_id, r.content is null as short, f.stem
        from read r join unnest($4::text[], $5::text[]) as f (stem, form)
          on strpos(coalesce(r.content, r.entry), f.form) > 0
      ), worth as (
        select s.stem, ln(1 + (select count(*) from read) / (count(m.stem) + 0.5)) as worth
        from (select distinct unnest($4::text[]) as stem) s left join matched m using (stem)
        group by s.stem
      ), scored as (
        select m.event_id, m.short, sum(w.worth) / (select sum(worth) from worth) as score
        from matched m join worth w using (stem)
        group by m.event_id, m.short
        order by score desc limit ${RANKED}
      ), asked as (
        select nullif(replace(concat_ws('|', nullif(plainto_tsquery('english', $6)::text, ''),
          nullif(plainto_tsquery('russian', $6)::text, '')), '&', '|'), '')::tsquery as words
      )
      select r.event_id, r.ord::text, r.entry, r.content, s.score::float8,
        coalesce(ts_rank_cd(to_tsvector('english', t.text) || to_tsvector('russian', t.text), asked.words, 1), 0)::float8 as rank
      from scored s
      join read r on r.event_id = s.event_id and (r.content is null) = s.short
      cross join asked
      cross join lateral (select left(coalesce(r.content, r.entry::json ->> 'text'), 50000) as text) t
      where s.score >= $7
      order by s.score desc, r.ord desc, r.event_id`,
    values: [
      key.generation,
      key.tenant,
      key.conversation,
      forms.map(([stem]) => stem),
      forms.map(([, form]) => form),
      query,
      floor,
    ],
  });
  return fused(rows, query);
}

function fused(rows: readonly Row[], query: string): Recalled[] {
  // Of a rendition and its original the one that has more of what is asked.
  const hits = new Map<string, Row & { likeness: number }>();
  for (const row of rows) {
    if (hits.has(row.event_id)) continue;
    const likeness = trigramLikeness(query, row.content ?? (JSON.parse(row.entry) as Entry).text);
    hits.set(row.event_id, { ...row, likeness });
  }
  const all = [...hits.values()];
  const idsBy = (worth: (row: (typeof all)[number]) => number): string[] =>
    all.toSorted((a, b) => worth(b) - worth(a)).map((row) => row.event_id);
  const order = fuseRanks([
    idsBy((row) => row.score),
    idsBy((row) => row.rank),
    idsBy((row) => row.likeness),
  ]);
  return order.flatMap((id) => {
    const row = hits.get(id);
    return row === undefined ? [] : [toRecalled(row, query)];
  });
}

function toRecalled({ event_id, ord, entry, content }: Row, query: string): Recalled {
  const read = JSON.parse(entry) as Entry;
  return {
    id: event_id,
    order: BigInt(ord),
    source: read.role ?? read.tool ?? 'result',
    text: passageOf(content ?? read.text, query),
    handle: read.artifact ?? null,
  };
}

function formsOf(stem: string): string[] {
  const capital = stem.charAt(0).toUpperCase() + stem.slice(1);
  return [...new Set([stem, capital, stem.toUpperCase()])];
}
