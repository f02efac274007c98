import { type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import { ModelCallError } from '@palimpsest/llm';
import { partitionOf } from '@palimpsest/log';
import { conversationKey } from './conversation-key.js';
import { derivationEvent, type DerivationHashes, identify, stepEvents } from './derivation-events.js';
import { type DerivationJob, enqueueJobs, taskName } from './derivation-job.js';
import type {
  Derivation,
  DerivationDependencies,
  DerivationSettings,
  Derived,
  ModelCall,
  RefusedPart,
} from './derivation-service.js';
import { isDerived } from './derived-ids.js';
import { isErased } from './forget-conversations.js';
import { type EndedJob, type JobOutcome, keepRefused, recordEndedJob } from './job-records.js';
import { countSpend, spendHold } from './model-spend.js';
import { pause } from './pause.js';
import { projectionName } from './project-derivations.js';
import { checkpointOf, readBlock } from './read-block.js';

export interface JobRun {
  job: DerivationJob;
  /** 1 for the first run; more after an error or a crash. */
  attempt: number;
  maxAttempts: number;
  /** Aborts when the service stops, and when the conversation is erased. */
  signal: AbortSignal;
  /** Whether the conversation was erased while the job ran, as far as this process knows. */
  erased(): boolean;
}

/**
 * One job, in steps that each may be the last:
 * 1. Wait (as a new job, later) until the truncator has projected the source and this consumer every derivation that
 *    was in the log: only then is it known whether the answer exists already.
 * 2. Read the source. Nothing worth asking, or the same range, prompt and input answered before: done.
 * 3. Wait (as in 1) while the tenant has spent its day's tokens.
 * 4. Ask the model. No transaction and no connection is held. What a limit holds back waits as in 1; what the endpoint
 *    will not answer, and an answer that cannot be used, is kept for a person and ends the job.
 * 5. Append steps, then the derivation. The answer is in the log; projecting it is the consumer's work.
 * A crash before 5 repeats the call in flight, a crash after it repeats nothing. Throws for graphile-worker to retry.
 */
export async function runDerivationJob(
  derivation: Derivation,
  dependencies: DerivationDependencies,
  settings: DerivationSettings,
  run: JobRun,
): Promise<JobOutcome> {
  const { job } = run;
  const { pool, generation, model } = dependencies;
  const { purpose } = derivation;
  const conversation = { tenant: job.tenant, conversation: job.conversation_id };
  const now = dependencies.now ?? Date.now;
  const calls: ModelCall[] = [];
  let hashes: DerivationHashes | null = null;
  const later = async (outcome: 'waiting' | 'held', ms: number, note: string, barrier: string | null) => {
    const again = { ...job, waits: job.waits + 1, barrier, note };
    const maxAttempts = run.maxAttempts - run.attempt + 1;
    await enqueueJobs(pool, taskName(purpose, generation), [again], { delayMs: ms, maxAttempts });
    return outcome;
  };
  const ended = async (outcome: EndedJob['outcome'] & JobOutcome, reason: string | null = null) => {
    const { attempt } = run;
    const consumer = derivation.name;
    await recordEndedJob(pool, {
      generation,
      consumer,
      purpose,
      job,
      outcome,
      reason,
      attempt,
      calls,
      hashes,
    });
    return outcome;
  };

  const barrier = await derivationsBarrier(dependencies, run);
  if (!(await isProjected(derivation, dependencies, job, barrier)))
    return later('waiting', waitMs(job.waits), 'waits for a projection', String(barrier.offset));
  const source = await readBlock(pool, generation, job);
  if (!derivation.isWorthAsking(source)) return ended('skipped');

  const about = { agentType: job.agent_type ?? null, language: job.language };
  const identity = identify(purpose, model.promptHash(purpose, settings, about), job, source.messages);
  const { id } = identity;
  hashes = identity.hashes;
  if (await isDerived(pool, generation, derivation.name, conversation, id)) return ended('reused');
  const hold = await spendHold(pool, dependencies.limits, job.tenant, now());
  if (hold > 0) return later('held', hold, "the tenant's tokens of the day are spent", null);

  const bill = async (): Promise<void> => {
    if (calls.length === 0) return;
    await appendPersistently(
      dependencies,
      stepEvents(purpose, dependencies, job, run.attempt, id, calls, now()),
    );
    await countSpend(pool, purpose, job.tenant, calls, now());
  };
  const refuse = (part: RefusedPart): Promise<void> => {
    const where = { ...conversation, generation, consumer: derivation.name, reviewId: id };
    return keepRefused(pool, purpose, where, part);
  };
  let derived: Derived;
  try {
    derived = await derivation.derive({ job, source, calls }, run.signal);
  } catch (error) {
    // Calls before the one that failed were paid all the same.
    await bill();
    if (run.erased()) return 'cancelled';
    if (!(error instanceof ModelCallError)) throw error;
    if (error.held)
      return later('held', Math.max(error.retryAfterMs ?? 0, waitMs(job.waits)), error.message, null);
    if (!error.refusesRequest) throw error;
    derived = { kind: 'rejected', reason: 'refused_by_endpoint', answer: error.message };
  }
  if (await isErased(pool, generation, derivation.name, conversation)) {
    await bill();
    return 'cancelled';
  }
  if (derived.kind === 'rejected') {
    await bill();
    await refuse(derived);
    return ended('rejected', derived.reason);
  }
  const event = derivationEvent(dependencies, job, id, identity.hashes, derived, calls, now());
  const steps = stepEvents(purpose, dependencies, job, run.attempt, id, calls, now());
  await appendPersistently(dependencies, [...steps, event]);
  await countSpend(pool, purpose, job.tenant, calls, now());
  const part = derived.kind === 'facts' ? derived.refused : null;
  if (part !== null) await refuse(part);
  return ended('made', part?.reason ?? null);
}

interface Barrier {
  partition: number;
  /** All derivations below this offset must have been projected. */
  offset: bigint;
}

/**
 * The end of the conversation's partition of derivations. A job that waited keeps the end it saw, or it would wait as
 * long as others append; one that runs again looks anew, since its own answer may be there.
 */
async function derivationsBarrier({ log }: DerivationDependencies, run: JobRun): Promise<Barrier> {
  const partitions = await log.partitions(TOPICS.derivations);
  const partition = partitionOf(conversationKey(run.job.tenant, run.job.conversation_id), partitions);
  if (run.job.barrier !== null && run.attempt === 1) return { partition, offset: BigInt(run.job.barrier) };
  const bounds = await log.bounds(TOPICS.derivations);
  const own = bounds.find((one) => one.partition === partition);
  // Nothing was ever there, or retention has taken it all: nothing to wait for.
  return { partition, offset: own === undefined || own.high === own.low ? 0n : own.high };
}

async function isProjected(
  derivation: Derivation,
  { pool, generation }: DerivationDependencies,
  job: DerivationJob,
  barrier: Barrier,
): Promise<boolean> {
  const truncator = await checkpointOf(pool, generation, 'truncator', TOPICS.messages, job.partition);
  if (truncator <= BigInt(job.seen_offset)) return false;
  if (barrier.offset === 0n) return true;
  const own = await checkpointOf(
    pool,
    generation,
    projectionName(derivation.name),
    TOPICS.derivations,
    barrier.partition,
  );
  return own >= barrier.offset;
}

/** 100 ms doubling to 3 s: a projection is behind by moments, or by a replay. */
function waitMs(waits: number): number {
  return Math.min(3_000, 100 * 2 ** Math.min(waits, 12));
}

/** A paid answer is not given up at the log's first hiccup: five tries over some three seconds. */
async function appendPersistently(
  dependencies: DerivationDependencies,
  events: readonly PalimpsestEvent[],
): Promise<void> {
  if (events.length === 0) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dependencies.append(events);
      return;
    } catch (error) {
      if (attempt >= 5) throw error;
      await pause(200 * 2 ** (attempt - 1));
    }
  }
}
