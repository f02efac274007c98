import type { DerivationPurpose } from '@palimpsest/llm';
import type pg from 'pg';
import { jobId, taskName } from './derivation-job.js';
import type { FoldState } from './fold-state.js';
import type { ConversationKey } from './state-rows.js';

/**
 * Takes an erased conversation out of what this service keeps, in the transaction of its fold: jobs that wait are
 * removed, one that runs is not run again, what was made or refused is deleted.
 */
export async function forgetConversation(
  tx: pg.ClientBase,
  purpose: DerivationPurpose,
  generation: number,
  { tenant, conversation }: ConversationKey,
  state: FoldState,
): Promise<void> {
  const task = taskName(purpose, generation);
  for (const block of state.blocks) {
    const id = jobId(task, { tenant, conversation_id: conversation, ...block });
    await tx.query('select graphile_worker.remove_job($1)', [id]);
  }
  for (const statement of DELETIONS[purpose]) await tx.query(statement, [generation, tenant, conversation]);
  await tx.query(
    `delete from palimpsest.derivation_jobs
     where generation = $1 and tenant = $2 and conversation_id = $3 and purpose = $4`,
    [generation, tenant, conversation, purpose],
  );
}

const DELETIONS: Record<DerivationPurpose, readonly string[]> = {
  summary: [
    'delete from palimpsest.summaries where generation = $1 and tenant = $2 and conversation_id = $3',
    'delete from palimpsest.summaries_review where generation = $1 and tenant = $2 and conversation_id = $3',
  ],
  facts: [
    'delete from palimpsest.facts where generation = $1 and tenant = $2 and conversation_id = $3',
    'delete from palimpsest.facts_review where generation = $1 and tenant = $2 and conversation_id = $3',
  ],
};

/** Whether a conversation was erased, as far as this consumer has folded. */
export async function isErased(
  pool: pg.Pool,
  generation: number,
  consumer: string,
  { tenant, conversation }: ConversationKey,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from palimpsest.derivation_state
     where generation = $1 and consumer = $2 and tenant = $3 and conversation_id = $4
       and (state::jsonb ->> 'erased')::boolean`,
    [generation, consumer, tenant, conversation],
  );
  return (rowCount ?? 0) > 0;
}
