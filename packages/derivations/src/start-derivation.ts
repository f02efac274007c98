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
  const worker = await startJobWorker({
    pool,
    task,
    concurrency: settings.concurrency,
    pollMs: settings.pollMs,
    reclaimMs: settings.reclaimMs,
    logger,
    async handle(payload, run) {
      const job = payload as DerivationJob;
      const about = { from: job.from, to: job.to, conversation: job.conversation_id, attempt: run.attempt };
      try {
        const outcome = await runDerivationJob(derivation, dependencies, settings, { job, ...run });
        metrics.derivation_jobs_total.inc({ kind: derivation.purpose, outcome });
        logger.debug({ ...about, outcome }, 'a derivation job ended');
      } catch (error) {
        if (error instanceof ModelCallError) {
          metrics.model_calls_total.inc({ provider: dependencies.model.provider, outcome: 'error' });
        }
        const outcome = run.attempt >= run.maxAttempts ? 'failed' : 'retried';
        metrics.derivation_jobs_total.inc({ kind: derivation.purpose, outcome });
        logger.warn(
          { ...about, outcome, err: error },
          'a derivation job failed; the view keeps its last good state',
        );
        throw error;
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
        handle: (tx, records, { partition }) =>
          fold(tx, derivation, generation, settings, partition, records),
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

async function fold(
  tx: pg.PoolClient,
  derivation: Derivation,
  generation: number,
  settings: DerivationSettings,
  partition: number,
  records: readonly DecodedRecord[],
): Promise<void> {
  const keys = new Map<string, ConversationKey>();
  for (const { event } of records) {
    const key = { tenant: event.tenant, conversation: event.conversation_id };
    keys.set(mapKey(key), key);
  }
  const states = await loadStates<FoldState>(tx, generation, derivation.name, [...keys.values()]);
  const jobs: DerivationJob[] = [];
  for (const { event, record } of records) {
    const key = mapKey({ tenant: event.tenant, conversation: event.conversation_id });
    const state = states.get(key) ?? emptyFoldState();
    states.set(key, state);
    for (const trigger of foldChatEvent(state, event as ChatEvent, record.offset, settings)) {
      jobs.push(jobOf(event.tenant, event.conversation_id, partition, trigger));
    }
  }
  const rows = [...states].map(([key, state]) => ({ ...(keys.get(key) as ConversationKey), state }));
  await saveStates(tx, generation, derivation.name, rows);
  await enqueueJobs(tx, taskName(derivation.purpose, generation), jobs);
}

async function pendingJobs(pool: pg.Pool, task: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::integer as n from graphile_worker.jobs where task_identifier = $1 and attempts < max_attempts`,
    [task],
  );
  return rows[0]?.n ?? 0;
}
