import { type ChatEvent, type DerivationEvent, TOPICS } from '@palimpsest/events';
import { ModelCallError } from '@palimpsest/llm';
import { type DecodedRecord, startConsumer } from '@palimpsest/runtime';
import type pg from 'pg';
import { type DerivationJob, enqueueJobs, jobOf, taskName } from './derivation-job.js';
import type {
  Derivation,
  DerivationDependencies,
  DerivationSettings,
  RunningDerivation,
} from './derivation-service.js';
import { recordNew } from './derived-ids.js';
import { foldChatEvent } from './fold-chat-event.js';
import { emptyFoldState, type FoldState } from './fold-state.js';
import { startJobWorker } from './job-worker.js';
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
  try {
    const consumer = await startConsumer({
      name: derivation.name,
      generation,
      topics: [TOPICS.messages, TOPICS.derivations],
      log: dependencies.log,
      pool,
      metrics,
      logger,
      decode: dependencies.decode,
      async handle(tx, records, { topic, partition }) {
        if (topic === TOPICS.derivations) await project(tx, derivation, generation, records);
        else await fold(tx, derivation, generation, settings, partition, records);
      },
    });
    return {
      async stop() {
        await consumer.stop();
        await worker.stop();
      },
      done: consumer.done,
      lag: () => consumer.lag(),
      pendingJobs: () => pendingJobs(pool, task),
    };
  } catch (error) {
    await worker.stop();
    throw error;
  }
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

async function project(
  tx: pg.PoolClient,
  derivation: Derivation,
  generation: number,
  records: readonly DecodedRecord[],
): Promise<void> {
  const type = derivation.purpose === 'summary' ? 'summary_made' : 'facts_made';
  const own = records.flatMap(({ event }) => (event.type === type ? [event as DerivationEvent] : []));
  if (own.length === 0) return;
  const fresh = await recordNew(tx, generation, derivation.name, own);
  if (fresh.length > 0) await derivation.project(tx, fresh);
}

async function pendingJobs(pool: pg.Pool, task: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::integer as n from graphile_worker.jobs where task_identifier = $1 and attempts < max_attempts`,
    [task],
  );
  return rows[0]?.n ?? 0;
}
