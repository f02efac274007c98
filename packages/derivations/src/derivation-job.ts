import type { DerivationPurpose } from '@palimpsest/llm';
import type pg from 'pg';
import { deterministicId } from './deterministic-id.js';
import type { Trigger } from './fold-chat-event.js';

/** Payload of a job, JSON in `graphile_worker`. Orders and offsets are decimal. */
export interface DerivationJob {
  tenant: string;
  conversation_id: string;
  from: string;
  to: string;
  seen_offset: string;
  /** Of `chat.messages`: whose truncator checkpoint must have passed `seen_offset`. */
  partition: number;
  pinned: string[];
  language: string | null;
  time_zone: string | null;
  /** Absent in jobs written before it was known. */
  agent_type?: string | null;
  task_id: string | null;
  client_id: string | null;
  agent: string | null;
  /** How often the job waited for a projection; the pause grows with it. */
  waits: number;
  /** Offset of `context.derivations` that had to be projected before the model may be asked; set while waiting. */
  barrier: string | null;
  /** Why the job waits, for a person. */
  note?: string;
}

/** A job fails for good after this many tries: the pauses between them add up to about 15 hours of a model's outage. */
const MAX_ATTEMPTS = 12;

/** One task per generation: a worker takes only jobs of its own. */
export function taskName(purpose: DerivationPurpose, generation: number): string {
  return `${purpose === 'summary' ? 'summarize' : 'extract-facts'}:${generation}`;
}

export function jobOf(
  tenant: string,
  conversation: string,
  partition: number,
  trigger: Trigger,
): DerivationJob {
  return {
    tenant,
    conversation_id: conversation,
    from: String(trigger.from),
    to: String(trigger.to),
    seen_offset: String(trigger.seenOffset),
    partition,
    pinned: trigger.pinned,
    language: trigger.language,
    time_zone: trigger.timeZone,
    agent_type: trigger.agentType,
    task_id: trigger.taskId,
    client_id: trigger.clientId,
    agent: trigger.agent,
    waits: 0,
    barrier: null,
  };
}

/**
 * Adds jobs in the caller's transaction. One range of a conversation is one job: a later trigger for the same range
 * replaces the job that waits.
 */
export async function enqueueJobs(
  db: pg.ClientBase | pg.Pool,
  task: string,
  jobs: readonly DerivationJob[],
  when: { delayMs?: number; maxAttempts?: number } = {},
): Promise<void> {
  for (const job of jobs) {
    await db.query(
      `select graphile_worker.add_job($1, payload := $2::json, job_key := $3, max_attempts := $4,
                                      run_at := now() + $5::integer * interval '1 millisecond')`,
      [task, JSON.stringify(job), jobId(task, job), when.maxAttempts ?? MAX_ATTEMPTS, when.delayMs ?? 0],
    );
  }
}

/**
 * What a job is known by: its key in graphile-worker, and in `palimpsest.derivation_jobs`. Keys are at most 512
 * characters there; ids of conversations may be longer than that.
 */
export function jobId(
  task: string,
  job: Pick<DerivationJob, 'tenant' | 'conversation_id' | 'from' | 'to'>,
): string {
  return deterministicId(task, job.tenant, job.conversation_id, job.from, job.to);
}
