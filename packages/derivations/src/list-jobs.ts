import type { DerivationPurpose } from '@palimpsest/llm';
import type pg from 'pg';
import { derivationId } from './derivation-events.js';
import { type DerivationJob, enqueueJobs, jobId, taskName } from './derivation-job.js';

/**
 * | state     | meaning                                                          | leaves it when                    |
 * | --------- | ---------------------------------------------------------------- | --------------------------------- |
 * | waiting   | its time has not come: new, held by a limit, or tried again later | a worker takes it                 |
 * | running   | a worker has it                                                  | it ends, or the worker dies       |
 * | failed    | it was tried as often as it may                                  | it is asked again                 |
 * | rejected  | the model answered, and the answer was refused                   | it is asked again                 |
 * | made      | the answer is in the log (a reason: a part of it was refused)    | the block changes                 |
 * | reused    | the answer was in the log already                                | the block changes                 |
 * | skipped   | there was nothing worth asking                                   | the block changes                 |
 */
export type JobState = 'waiting' | 'running' | 'failed' | 'rejected' | 'made' | 'reused' | 'skipped';

export interface ListedJob {
  id: string;
  generation: number;
  purpose: DerivationPurpose;
  tenant: string;
  conversation: string;
  from: bigint;
  to: bigint;
  state: JobState;
  /** Why it waits, failed or was refused. */
  reason: string | null;
  attempt: number;
  model: string | null;
  promptHash: string | null;
  inputHash: string | null;
  answerHash: string | null;
  /** When it is due, was taken, or ended. */
  at: Date;
}

export interface JobFilter {
  states?: readonly JobState[];
  conversation?: string;
  ids?: readonly string[];
  limit?: number;
}

/** Jobs of all generations: those under way first, then those that ended, the newest first. */
export async function listJobs(pool: pg.Pool, filter: JobFilter = {}): Promise<ListedJob[]> {
  const jobs = (await readJobs(pool, filter)).map(({ listed }) => listed);
  const isWanted = (job: ListedJob): boolean => filter.states?.includes(job.state) ?? true;
  return jobs.filter(isWanted).slice(0, filter.limit ?? jobs.length);
}

/** Asks again for jobs that have ended, with all their tries. Returns the ids that were put back. */
export async function retryJobs(pool: pg.Pool, ids: readonly string[]): Promise<string[]> {
  const found = await readJobs(pool, { ids });
  const again = found.filter(({ listed }) => listed.state !== 'running' && listed.state !== 'waiting');
  for (const { listed, job } of again) {
    const { note: _, ...asked } = job;
    const task = taskName(listed.purpose, listed.generation);
    await enqueueJobs(pool, task, [{ ...asked, waits: 0, barrier: null }]);
  }
  return again.map(({ listed }) => listed.id);
}

/** What was refused last of the answers to a job's question; null where nothing was. */
export async function refusedAnswer(
  pool: pg.Pool,
  { generation, purpose, tenant, conversation, ...job }: ListedJob,
): Promise<{ reason: string; answer: string; at: Date } | null> {
  const { promptHash, inputHash } = job;
  if (promptHash === null || inputHash === null) return null;
  const range = { tenant, conversation_id: conversation, from: String(job.from), to: String(job.to) };
  const id = derivationId(purpose, range, { promptHash, inputHash });
  const { rows } = await pool.query<{ reason: string; answer: string; at: Date }>(
    purpose === 'summary'
      ? `select reason, answer, created_at as at from palimpsest.summaries_review
         where generation = $1 and tenant = $2 and conversation_id = $3 and review_id = $4`
      : `select reason, answer, created_at as at from palimpsest.facts_review
         where generation = $1 and tenant = $2 and conversation_id = $3 and review_id = $4`,
    [generation, tenant, conversation, id],
  );
  return rows[0] ?? null;
}

interface FoundJob {
  listed: ListedJob;
  job: DerivationJob;
}

async function readJobs(pool: pg.Pool, filter: JobFilter): Promise<FoundJob[]> {
  const under = await readUnderWay(pool);
  const known = new Set(under.map(({ listed }) => listed.id));
  const ended = (await readEnded(pool, filter)).filter(({ listed }) => !known.has(listed.id));
  return [...under, ...ended].filter(
    ({ listed }) =>
      (filter.conversation === undefined || listed.conversation === filter.conversation) &&
      (filter.ids === undefined || filter.ids.includes(listed.id)),
  );
}

interface UnderWayRow {
  task: string;
  payload: DerivationJob;
  attempts: number;
  max_attempts: number;
  last_error: string | null;
  locked_at: Date | null;
  run_at: Date;
}

async function readUnderWay(pool: pg.Pool): Promise<FoundJob[]> {
  // The schema is made by the first worker.
  const { rows: schema } = await pool.query<{ there: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as there`,
  );
  if (schema[0]?.there !== true) return [];
  // A job without its key was replaced by a newer one, or removed while a worker had it.
  const { rows } = await pool.query<UnderWayRow>(
    `select t.identifier as task, j.payload, j.attempts, j.max_attempts, j.last_error, j.locked_at, j.run_at
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier ~ '^(summarize|extract-facts):[0-9]+$' and (j.key is not null or j.locked_at is not null)
     order by j.locked_at nulls last, j.run_at, j.id`,
  );
  return rows.map((row) => {
    const failed = row.locked_at === null && row.attempts >= row.max_attempts;
    const state = row.locked_at !== null ? 'running' : failed ? 'failed' : 'waiting';
    const [task, generation] = row.task.split(':');
    const listed: ListedJob = {
      ...identity(row.payload, Number(generation), task === 'summarize' ? 'summary' : 'facts'),
      state,
      reason: row.last_error ?? row.payload.note ?? null,
      attempt: row.attempts,
      model: null,
      promptHash: null,
      inputHash: null,
      answerHash: null,
      at: row.locked_at ?? row.run_at,
    };
    return { listed, job: row.payload };
  });
}

interface EndedRow {
  generation: number;
  purpose: DerivationPurpose;
  outcome: JobState;
  reason: string | null;
  attempt: number;
  model: string | null;
  prompt_hash: string | null;
  input_hash: string | null;
  answer_hash: string | null;
  job: string;
  ended_at: Date;
}

async function readEnded(pool: pg.Pool, filter: JobFilter): Promise<FoundJob[]> {
  const { rows } = await pool.query<EndedRow>(
    `select generation, purpose, outcome, reason, attempt, model, prompt_hash, input_hash, answer_hash, job, ended_at
     from palimpsest.derivation_jobs
     where ($1::text[] is null or outcome = any ($1)) and ($2::text is null or conversation_id = $2)
       and ($3::uuid[] is null or job_id = any ($3))
     order by ended_at desc limit $4`,
    [filter.states ?? null, filter.conversation ?? null, filter.ids ?? null, filter.limit ?? 1000],
  );
  return rows.map((row) => {
    const job = JSON.parse(row.job) as DerivationJob;
    const listed: ListedJob = {
      ...identity(job, row.generation, row.purpose),
      state: row.outcome,
      reason: row.reason,
      attempt: row.attempt,
      model: row.model,
      promptHash: row.prompt_hash,
      inputHash: row.input_hash,
      answerHash: row.answer_hash,
      at: row.ended_at,
    };
    return { listed, job };
  });
}

function identity(job: DerivationJob, generation: number, purpose: DerivationPurpose) {
  return {
    id: jobId(taskName(purpose, generation), job),
    generation,
    purpose,
    tenant: job.tenant,
    conversation: job.conversation_id,
    from: BigInt(job.from),
    to: BigInt(job.to),
  };
}
