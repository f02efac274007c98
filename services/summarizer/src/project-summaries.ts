import type { SummaryMadeEvent } from '@palimpsest/events';
import type pg from 'pg';
import { summaryTokens } from './ask-for-summary.js';

/**
 * Projects summaries, in log order, as leaves: one row per block, ranges without overlap. The summary that has seen
 * more of the log wins over those it overlaps; one that has seen less changes nothing.
 */
export async function projectSummaries(
  tx: pg.PoolClient,
  generation: number,
  events: readonly SummaryMadeEvent[],
  count: (text: string) => number,
): Promise<void> {
  for (const event of events) {
    if (event.text.trim() === '' || event.from_order > event.to_order) continue;
    const range = [generation, event.tenant, event.conversation_id, event.from_order, event.to_order];
    const newer = await tx.query(
      `select from palimpsest.summaries
       where generation = $1 and tenant = $2 and conversation_id = $3
         and from_order <= $5 and to_order >= $4 and seen_offset > $6 limit 1`,
      [...range, event.seen_offset],
    );
    if ((newer.rowCount ?? 0) > 0) continue;
    await tx.query(
      `delete from palimpsest.summaries
       where generation = $1 and tenant = $2 and conversation_id = $3 and from_order <= $5 and to_order >= $4`,
      range,
    );
    await tx.query(
      `insert into palimpsest.summaries (generation, tenant, conversation_id, from_order, to_order, seen_offset,
                                         event_id, text, carried, tokens, model, prompt_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...range,
        event.seen_offset,
        event.event_id,
        event.text,
        event.carried,
        summaryTokens(event.text, event.carried, count),
        event.model,
        event.prompt_hash,
      ],
    );
  }
}
