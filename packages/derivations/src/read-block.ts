import type { SourceMessage } from '@palimpsest/llm';
import { artifactId, cut, type Entry, originalEntry, typeToCut } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import type pg from 'pg';
import type { DerivationJob } from './derivation-job.js';

export interface BlockSource {
  messages: SourceMessage[];
  /** Tokens of the renditions that a summary would replace. */
  tokens: number;
}

/** Tokens of one event in a source. Not the strategy's caps: strategies that cut otherwise share what was derived. */
const SOURCE_TOKENS = { message: 32_000, tool_call: 1000, tool_result: 2000 };

/**
 * The source of a job: foldable events of the range that were known when it became due, without rules and pinned
 * messages, in order. The texts are the originals, cut by their type where they are very long, the same under every
 * strategy.
 */
export async function readBlock(pool: pg.Pool, generation: number, job: DerivationJob): Promise<BlockSource> {
  const { rows } = await pool.query<{ entry: string; original: string | null }>(
    `select m.entry, a.content as original from palimpsest.messages m
     left join palimpsest.artifacts a
       on a.generation = m.generation and a.tenant = m.tenant and a.conversation_id = m.conversation_id
         and a.artifact_id = m.entry::json ->> 'artifact'
     where m.generation = $1 and m.tenant = $2 and m.conversation_id = $3
       and m.ord between $4::bigint and $5::bigint and m."offset" <= $6::bigint
       and m.kind in ('message', 'tool_call', 'tool_result')
     order by m.ord, m.event_id`,
    [generation, job.tenant, job.conversation_id, job.from, job.to, job.seen_offset],
  );
  const pinned = new Set(job.pinned);
  const known = rows
    .map((row) => ({ entry: JSON.parse(row.entry) as Entry, original: row.original }))
    .filter(({ entry }) => !pinned.has(entry.id) && entry.role !== 'system' && entry.role !== 'developer');
  return {
    messages: known.map(({ entry, original }) => sourceMessage(job.tenant, entry, original)),
    tokens: known.reduce((sum, { entry }) => sum + entry.tokens, 0),
  };
}

/** What a model is given of an event, from its rendition and, where that was cut, its original. */
export function sourceMessage(tenant: string, entry: Entry, original: string | null): SourceMessage {
  const speaker = entry.role === 'user' || entry.role === 'assistant' ? entry.role : 'unknown';
  return {
    id: entry.id,
    kind: entry.kind,
    role: entry.kind === 'message' ? speaker : null,
    text: sourceText(tenant, entry, original),
    tool: entry.tool ?? null,
    at: entry.at,
  };
}

function sourceText(tenant: string, entry: Entry, original: string | null): string {
  const counter = tokenCounter(null);
  const whole = original === null ? entry : originalEntry(entry, original, counter);
  const maxTokens = SOURCE_TOKENS[entry.kind];
  // A token is one character or more: most texts need not be counted.
  if (whole.text.length <= maxTokens || counter.count(whole.text) <= maxTokens) return whole.text;
  const type = typeToCut(whole.kind, whole.text, whole.type, whole.is_error);
  const handle = artifactId(tenant, whole.parts === undefined ? whole.text : JSON.stringify(whole.parts));
  return cut({ text: whole.text, type }, { maxTokens, handle, counter }).text;
}

/** Next offset that a consumer of this generation will handle; 0 before its first batch. */
export async function checkpointOf(
  db: pg.Pool | pg.ClientBase,
  generation: number,
  consumer: string,
  topic: string,
  partition: number,
): Promise<bigint> {
  const { rows } = await db.query<{ next_offset: string }>(
    `select next_offset from palimpsest.checkpoints
     where generation = $1 and consumer = $2 and topic = $3 and partition = $4`,
    [generation, consumer, topic, partition],
  );
  return BigInt(rows[0]?.next_offset ?? 0);
}
