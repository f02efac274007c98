import type { ChatEvent } from '@palimpsest/events';
import { createMetrics } from '@palimpsest/observability';
import { inTransaction } from '@palimpsest/postgres';
import type { DecodedRecord } from '@palimpsest/runtime';
import type { Strategy } from '@palimpsest/strategy';
import type pg from 'pg';
import { counter } from './fold-in-memory.js';
import { foldBatch } from '../../services/truncator/src/fold-batch.js';
import { HotStates } from '../../services/truncator/src/hot-states.js';

/** Folds events at their offsets in batches that end where `ends` says; a cold process for every batch if asked. */
export async function foldInBatches(
  pool: pg.Pool,
  strategy: Strategy,
  events: readonly ChatEvent[],
  ends: readonly number[] = [],
  cold = false,
): Promise<void> {
  const metrics = createMetrics();
  let hot = new HotStates();
  let start = 0;
  for (const end of [...ends, events.length]) {
    if (end <= start) continue;
    const records = events
      .slice(start, end)
      .map(
        (event, index) => ({ record: { offset: BigInt(start + index) }, event }) as unknown as DecodedRecord,
      );
    const context = { topic: 'chat.messages', partition: 0, generation: 1, epoch: 1n } as never;
    await inTransaction(pool, (tx) =>
      foldBatch(tx, records, context, { settings: strategy.settings, counter, hot, metrics }),
    );
    if (cold) hot = new HotStates();
    start = end;
  }
}

/** All that was written for a conversation of a tenant, as text. */
export async function rowsOf(pool: pg.Pool, conversation: string, tenant = 'acme'): Promise<string> {
  const tables = await Promise.all(
    [
      `select event_id, ord, "offset", kind, tokens, original_tokens, entry, occurred_at from palimpsest.messages
       where conversation_id = $1 and tenant = $2 order by ord`,
      `select "offset", state from palimpsest.context_views where conversation_id = $1 and tenant = $2`,
      `select artifact_id, mime, size_bytes, content from palimpsest.artifacts
       where conversation_id = $1 and tenant = $2 order by artifact_id`,
      `select event_id, "offset", reason from palimpsest.conflicts
       where conversation_id = $1 and tenant = $2 order by event_id`,
    ].map((sql) => pool.query(sql, [conversation, tenant])),
  );
  return JSON.stringify(tables.map((table) => table.rows));
}
