import { type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import { partitionOf } from '@palimpsest/log';
import { conversationKey } from './conversation-key.js';
import { derivationEvent, identify, stepEvents } from './derivation-events.js';
import { type DerivationJob, enqueueJobs, taskName } from './derivation-job.js';
import type {
  Derivation,
  DerivationDependencies,
  DerivationSettings,
  ModelCall,
} from './derivation-service.js';
import { isDerived } from './derived-ids.js';
import { pause } from './pause.js';
import { projectionName } from './project-derivations.js';
import { checkpointOf, readBlock } from './read-block.js';

export type JobOutcome = 'made' | 'reused' | 'rejected' | 'skipped' | 'waiting';

export interface JobRun {
  job: DerivationJob;
  /** 1 for the first run; more after an error or a crash. */
  attempt: number;
  maxAttempts: number;
  signal: AbortSignal;
}

/**
 * One job, in steps that each may be the last:
 * 1. Wait (as a new job, later) until the truncator has projected the source and this consumer every derivation that
 *    was in the log: only then is it known whether the answer exists already.
 * 2. Read the source. Nothing worth asking, or the same range, prompt and input answered before: done.
 * 3. Ask the model. No transaction and no connection is held.
 * 4. Append steps, then the derivation. The answer is in the log; projecting it is the consumer's work.
 * A crash before 4 repeats the call in flight, a crash after it repeats nothing. Throws for graphile-worker to retry.
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
  const barrier = await derivationsBarrier(dependencies, run);
  if (!(await isProjected(derivation, dependencies, job, barrier))) {
    const again = { ...job, waits: job.waits + 1, barrier: String(barrier.offset) };
    const maxAttempts = run.maxAttempts - run.attempt + 1;
    await enqueueJobs(pool, taskName(purpose, generation), [again], {
      delayMs: waitMs(job.waits),
      maxAttempts,
    });
    return 'waiting';
  }
  const source = await readBlock(pool, generation, job);
  if (!derivation.isWorthAsking(source)) return 'skipped';

  const { id, hashes } = identify(purpose, model.promptHash(purpose, settings), job, source.messages);
  const conversation = { tenant: job.tenant, conversation: job.conversation_id };
  if (await isDerived(pool, generation, derivation.name, conversation, id)) return 'reused';

  const now = dependencies.now ?? Date.now;
  const calls: ModelCall[] = [];
  const steps = () => stepEvents(purpose, dependencies, job, run.attempt, id, calls, now());
  let derived: Awaited<ReturnType<Derivation['derive']>>;
  try {
    derived = await derivation.derive({ job, source, calls }, run.signal);
  } catch (error) {
    // Calls before the one that failed were paid all the same.
    await appendPersistently(dependencies, steps());
    throw error;
  }
  if (derived.kind === 'rejected') {
    await appendPersistently(dependencies, steps());
    await derivation.review?.(job, id, derived);
    return 'rejected';
  }
  const event = derivationEvent(dependencies, job, id, hashes, derived, calls, now());
  await appendPersistently(dependencies, [...steps(), event]);
  return 'made';
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
