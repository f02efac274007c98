import { type DerivationPurpose, storableText } from '@palimpsest/llm';
import type pg from 'pg';
import { type DerivationJob, jobId, taskName } from './derivation-job.js';
import type { ModelCall, RefusedPart } from './derivation-service.js';

/** How the run of a job ended; `waiting` and `held` jobs come back by themselves. */
export type JobOutcome = 'made' | 'reused' | 'rejected' | 'skipped' | 'cancelled' | 'waiting' | 'held';

/** What is to be known of a job that has ended. */
export interface EndedJob {
  generation: number;
  /** Whose fold knows whether the conversation was erased. */
  consumer: string;
  purpose: DerivationPurpose;
  job: DerivationJob;
  outcome: Exclude<JobOutcome, 'waiting' | 'held'> | 'failed';
  reason: string | null;
  attempt: number;
  calls: readonly ModelCall[];
  hashes: { promptHash: string; inputHash: string } | null;
}

/**
 * Keeps what became of a job, in place of what became of its range before; nothing of an erased conversation, for whose
 * state it waits.
 */
export async function recordEndedJob(pool: pg.Pool, ended: EndedJob): Promise<void> {
  const { generation, purpose, job, calls } = ended;
  await pool.query(
    `with alive as (
       select from palimpsest.derivation_state
       where generation = $1 and consumer = $17 and tenant = $3 and conversation_id = $4
         and not coalesce((state::jsonb ->> 'erased')::boolean, false) for share)
     insert into palimpsest.derivation_jobs (generation, purpose, tenant, conversation_id, from_order, to_order, job_id,
                                             outcome, reason, attempt, calls, model, prompt_hash, input_hash,
                                             answer_hash, job)
     select $1, $2, $3, $4, $5::bigint, $6::bigint, $7::uuid, $8, $9, $10::integer, $11::integer, $12, $13, $14, $15, $16
     from alive
     on conflict (generation, purpose, tenant, conversation_id, from_order, to_order) do update
       set outcome = excluded.outcome, reason = excluded.reason, attempt = excluded.attempt, calls = excluded.calls,
           model = coalesce(excluded.model, derivation_jobs.model), prompt_hash = excluded.prompt_hash,
           input_hash = excluded.input_hash, answer_hash = coalesce(excluded.answer_hash, derivation_jobs.answer_hash),
           job = excluded.job, ended_at = now()`,
    [
      generation,
      purpose,
      job.tenant,
      job.conversation_id,
      job.from,
      job.to,
      jobId(taskName(purpose, generation), job),
      ended.outcome,
      ended.reason === null ? null : storableText(ended.reason.slice(0, REASON_CHARACTERS)),
      ended.attempt,
      calls.length,
      calls.at(-1)?.model ?? null,
      ended.hashes?.promptHash ?? null,
      ended.hashes?.inputHash ?? null,
      calls.at(-1)?.answerHash ?? null,
      JSON.stringify(job),
      ended.consumer,
    ],
  );
}

const REASON_CHARACTERS = 1000;
/** Enough of an answer for a person to judge by. */
const ANSWER_CHARACTERS = 20_000;

const ALIVE = `with alive as (
  select from palimpsest.derivation_state
  where generation = $1 and consumer = $7 and tenant = $2 and conversation_id = $3
    and not coalesce((state::jsonb ->> 'erased')::boolean, false) for share)`;

/** Keeps what was refused of an answer, once per question: the last refusal stands. */
export async function keepRefused(
  pool: pg.Pool,
  purpose: DerivationPurpose,
  where: { generation: number; consumer: string; tenant: string; conversation: string; reviewId: string },
  { reason, answer }: RefusedPart,
): Promise<void> {
  await pool.query(
    purpose === 'summary'
      ? `${ALIVE}
         insert into palimpsest.summaries_review (generation, tenant, conversation_id, review_id, reason, answer)
         select $1, $2, $3, $4::uuid, $5, $6 from alive
         on conflict (generation, tenant, conversation_id, review_id) do update
           set reason = excluded.reason, answer = excluded.answer, created_at = now()`
      : `${ALIVE}
         insert into palimpsest.facts_review (generation, tenant, conversation_id, review_id, reason, answer)
         select $1, $2, $3, $4::uuid, $5, $6 from alive
         on conflict (generation, tenant, conversation_id, review_id) do update
           set reason = excluded.reason, answer = excluded.answer, created_at = now()`,
    [
      where.generation,
      where.tenant,
      where.conversation,
      where.reviewId,
      reason,
      storableText(answer.slice(0, ANSWER_CHARACTERS)),
      where.consumer,
    ],
  );
}
