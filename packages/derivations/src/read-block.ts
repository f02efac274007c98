import type { SourceMessage } from '@palimpsest/llm';
import type { Entry } from '@palimpsest/strategy';
import type pg from 'pg';
import type { DerivationJob } from './derivation-job.js';

export interface BlockSource {
  messages: SourceMessage[];
  /** Tokens of the renditions that a summary would replace. */
  tokens: number;
}

/**
 * The source of a job as the view holds it: foldable events of the range that were known when it became due, without
 * rules and pinned messages, in order.
 */
export async function readBlock(pool: pg.Pool, generation: number, job: DerivationJob): Promise<BlockSource> {
  const { rows } = await pool.query<{ entry: string }>(
    `select entry from palimpsest.messages
     where generation = $1 and tenant = $2 and conversation_id = $3
       and ord between $4::bigint and $5::bigint and "offset" <= $6::bigint
       and kind in ('message', 'tool_call', 'tool_result')
     order by ord, event_id`,
    [generation, job.tenant, job.conversation_id, job.from, job.to, job.seen_offset],
  );
  const pinned = new Set(job.pinned);
  const entries = rows
    .map((row) => JSON.parse(row.entry) as Entry)
    .filter((entry) => !pinned.has(entry.id) && entry.role !== 'system' && entry.role !== 'developer');
  return {
    messages: entries.map(sourceMessage),
    tokens: entries.reduce((sum, entry) => sum + entry.tokens, 0),
  };
}

function sourceMessage(entry: Entry): SourceMessage {
  const speaker = entry.role === 'user' || entry.role === 'assistant' ? entry.role : 'unknown';
  return {
    id: entry.id,
    kind: entry.kind,
    role: entry.kind === 'message' ? speaker : null,
    text: entry.text,
    tool: entry.tool ?? null,
    at: entry.at,
  };
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
