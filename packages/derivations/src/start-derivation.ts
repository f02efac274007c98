import { EventEmitter } from 'node:events';
import { type ChatEvent, TOPICS } from '@palimpsest/events';
import { ModelCallError } from '@palimpsest/llm';
import { type DecodedRecord, type RunningConsumer, startConsumer } from '@palimpsest/runtime';
import type pg from 'pg';
import { type DerivationJob, enqueueJobs, jobOf, taskName } from './derivation-job.js';
import type {
  Derivation,
  DerivationDependencies,
  DerivationSettings,
  RunningDerivation,
} from './derivation-service.js';
import { foldChatEvent } from './fold-chat-event.js';
import { emptyFoldState, type FoldState } from './fold-state.js';
import { forgetConversation } from './forget-conversations.js';
import { recordEndedJob } from './job-records.js';
import { startJobWorker } from './job-worker.js';
import { project, projectionName, projectionOf } from './project-derivations.js';
import { runDerivationJob } from './run-derivation-job.js';
import { type ConversationKey, loadStates, mapKey, saveStates } from './state-rows.js';

/**
 * Starts one derivation service: a consumer that folds chat events into due ranges (jobs, added in the transaction of
 * the batch) and projects derivation events, and a worker that runs the jobs. The consumer never waits for a model.
 */
export async function startDerivation(
  derivation: Derivation,
  dependencies: DerivationDependencies,
  settings: DerivationSettings,
): Promise<RunningDerivation> {
  const { pool, generation, logger, metrics } = dependencies;
  const task = taskName(derivation.purpose, generation);
  // Emits the map key of a conversation that this process has seen erased.
  const erasures = new EventEmitter().setMaxListeners(0);
  const worker = await startJobWorker({
    pool,
    task,
    concurrency: dependencies.concurrency ?? settings.concurrency,
    pollMs: settings.pollMs,
    reclaimMs: settings.reclaimMs,
    graceMs: settings.graceMs,
    logger,
    async handle(payload, run) {
      const job = payload as DerivationJob;
      const about = { from: job.from, to: job.to, conversation: job.conversation_id, attempt: run.attempt };
      const key = mapKey({ tenant: job.tenant, conversation: job.conversation_id });
      const erasure = new AbortController();
      const erase = (): void => erasure.abort(new Error('the conversation was erased'));
      erasures.on(key, erase);
      try {
        const outcome = await runDerivationJob(derivation, dependencies, settings, {
          job,
          ...run,
          signal: AbortSignal.any([run.signal, erasure.signal]),
          erased: () => erasure.signal.aborted,
        });
        metrics.derivation_jobs_total.inc({ kind: derivation.purpose, outcome });
        logger.debug({ ...about, outcome }, 'a derivation job ended');
      } catch (error) {
        if (error instanceof ModelCallError) {
          metrics.model_calls_total.inc({ provider: dependencies.model.provider, outcome: 'error' });
        }
        const outcome = run.attempt >= run.maxAttempts ? 'failed' : 'retried';
        if (outcome === 'failed') await recordFailure(derivation, dependencies, job, run.attempt, error);
        metrics.derivation_jobs_total.inc({ kind: derivation.purpose, outcome });
        logger.warn(
          { ...about, outcome, err: error },
          'a derivation job failed; the view keeps its last good state',
        );
        throw error;
      } finally {
        erasures.off(key, erase);
      }
    },
  });
  const consumers: RunningConsumer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await worker.stop();
  };
  const shared = {
    generation,
    log: dependencies.log,
    pool,
    metrics,
    logger,
    decode: dependencies.decode,
    ...(dependencies.accepts === undefined ? {} : { accepts: dependencies.accepts }),
  };
  try {
    consumers.push(
      await startConsumer({
        ...shared,
        name: derivation.name,
        topics: [TOPICS.messages],
        async handle(tx, records, { partition }) {
          const erased = await fold(tx, derivation, generation, settings, partition, records);
          for (const key of erased) erasures.emit(key);
        },
      }),
    );
    // A consumer of its own: it may wait for the fold, which must not wait for it.
    const projection = await projectionOf(derivation, dependencies, settings);
    consumers.push(
      await startConsumer({
        ...shared,
        name: projectionName(derivation.name),
        topics: [TOPICS.derivations],
        // What it waits for is the fold beside it.
        retry: { minMs: 50, maxMs: 500, attempts: 5 },
        handle: (tx, records) => project(tx, projection, records),
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    done: Promise.race(consumers.map((consumer) => consumer.done)),
    async lag() {
      const lags = await Promise.all(consumers.map((consumer) => consumer.lag()));
      return lags.reduce((sum, lag) => sum + lag, 0n);
    },
    pendingJobs: () => pendingJobs(pool, task),
  };
}

async function recordFailure(
  { name: consumer, purpose }: Derivation,
  { pool, generation, logger }: DerivationDependencies,
  job: DerivationJob,
  attempt: number,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  try {
    await recordEndedJob(pool, {
      generation,
      consumer,
      purpose,
      job,
      outcome: 'failed',
      reason,
      attempt,
      calls: [],
      hashes: null,
    });
  } catch (cause) {
    logger.warn({ err: cause }, 'a failed derivation job could not be recorded; graphile_worker.jobs has it');
  }
}

/** Folds a batch and returns the conversations it erased, as map keys. */
async function fold(
  tx: pg.PoolClient,
  derivation: Derivation,
  generation: number,
  settings: DerivationSettings,
  partition: number,
  records: readonly DecodedRecord[],
): Promise<string[]> {
  const keys = new Map<string, ConversationKey>();
  for (const { event } of records) {
    const key = { tenant: event.tenant, conversation: event.conversation_id };
    keys.set(mapKey(key), key);
  }
  const states = await loadStates<FoldState>(tx, generation, derivation.name, [...keys.values()]);
  const jobs: DerivationJob[] = [];
  const erased = new Set<string>();
  for (const { event, record } of records) {
    const key = mapKey({ tenant: event.tenant, conversation: event.conversation_id });
    const state = states.get(key) ?? emptyFoldState();
    states.set(key, state);
    for (const trigger of foldChatEvent(state, event as ChatEvent, record.offset, settings)) {
      jobs.push(jobOf(event.tenant, event.conversation_id, partition, trigger));
    }
    if (event.type === 'erasure_requested') erased.add(key);
  }
  const rows = [...states].map(([key, state]) => ({ ...(keys.get(key) as ConversationKey), state }));
  await saveStates(tx, generation, derivation.name, rows);
  const wanted = jobs.filter(
    (job) => !erased.has(mapKey({ tenant: job.tenant, conversation: job.conversation_id })),
  );
  await enqueueJobs(tx, taskName(derivation.purpose, generation), wanted);
  for (const key of erased) {
    const of = keys.get(key) as ConversationKey;
    await forgetConversation(tx, derivation.purpose, generation, of, states.get(key) as FoldState);
  }
  return [...erased];
}

async function pendingJobs(pool: pg.Pool, task: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::integer as n from graphile_worker.jobs where task_identifier = $1 and attempts < max_attempts`,
    [task],
  );
  return rows[0]?.n ?? 0;
}
