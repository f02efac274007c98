import { setTimeout as pause } from 'node:timers/promises';
import { type EventCodec, TOPICS } from '@palimpsest/events';
import { createFactExtractorFor } from '@palimpsest/fact-extractor';
import type { EventLog } from '@palimpsest/log';
import { createMetrics, type Logger } from '@palimpsest/observability';
import { appendEvents, type GenerationWork } from '@palimpsest/service-host';
import { type Strategy, strategyFromCanonical } from '@palimpsest/strategy';
import { createSummarizerFor } from '@palimpsest/summarizer';
import { createTruncator } from '@palimpsest/truncator';
import { createGeneration, type Generation, listGenerations } from '@palimpsest/views';
import type pg from 'pg';
import { acceptsOf, canonicalScope, type ReplayScope } from './scope.js';

type LanguageModel = Parameters<typeof createSummarizerFor>[0]['model'];

/** What a generation is built with. */
export interface BuildParts {
  pool: pg.Pool;
  log: EventLog;
  codec: EventCodec;
  model: LanguageModel;
  logger: Logger;
}

export interface Progress {
  /** Records of chat.messages. */
  handled: number;
  total: number;
  /** Model jobs that wait. */
  jobs: number;
}

/** The generation under way to a strategy over a scope, or a new one: a replay that was broken off goes on. */
export async function generationFor(
  pool: pg.Pool,
  strategy: Strategy,
  scope: ReplayScope,
): Promise<Generation> {
  const canonical = canonicalScope(scope);
  const found = (await listGenerations(pool)).findLast(
    (one) => one.status === 'building' && one.strategyVersion === strategy.version && one.scope === canonical,
  );
  if (found !== undefined) return found;
  return createGeneration(pool, { ...strategy, name: strategy.settings.name }, canonical);
}

/** Builds a generation of a strategy over the whole log as it is now, and ends. Answers its number. */
export async function buildGeneration(parts: BuildParts, strategy: Strategy): Promise<number> {
  const generation = await generationFor(parts.pool, strategy, {});
  const build = await startBuild(parts, generation);
  try {
    await Promise.race([build.caughtUp(), build.done]);
  } finally {
    await build.stop();
  }
  return generation.generation;
}

/** The consumers that fold and project a generation, running. */
export interface Build {
  /** Resolves when all that was in the log when asked is handled, and no job waits. */
  caughtUp(onProgress?: (progress: Progress) => void): Promise<void>;
  /** Records of chat.messages that were handled before it started. */
  readonly handledBefore: number;
  /** Rejects where a consumer has died. */
  readonly done: Promise<unknown>;
  stop(): Promise<void>;
}

const LOOK_MS = 100;

/** Starts the consumers of a generation: the services' own, in their groups, so that several processes share the work. */
export async function startBuild(parts: BuildParts, generation: Generation): Promise<Build> {
  const { pool, log, codec, model, logger } = parts;
  const strategy = strategyFromCanonical(generation.strategy);
  const decode = (record: Parameters<Parameters<typeof createTruncator>[0]['decode']>[0]) =>
    codec.decode(record.value as Buffer, record.headers);
  const scope = generation.scope === null ? {} : (JSON.parse(generation.scope) as ReplayScope);
  const accepts = await acceptsOf(scope, log, decode);
  const shared = {
    pool,
    log,
    decode,
    logger,
    strategy,
    generation: generation.generation,
    // The bill, the alerts and the lag are the live generation's.
    metrics: createMetrics(),
    ...(accepts === undefined ? {} : { accepts }),
  };
  const derivations = { ...shared, model, append: appendEvents(log, codec) };
  const first = await endsOf(log);
  const before = await leftOf(pool, generation.generation, first);
  const works: GenerationWork[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(works.splice(0).map((work) => work.stop()));
  };
  try {
    for (const start of [
      () => createTruncator(shared),
      () => createSummarizerFor(derivations),
      () => createFactExtractorFor(derivations),
    ]) {
      const work = await start();
      if (work !== null) works.push(work);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const done = Promise.race(works.map((work) => work.done));
  done.catch(() => undefined);
  return {
    stop,
    done,
    handledBefore: Number(sizeOf(first) - before.messages),
    async caughtUp(onProgress) {
      const ends = await endsOf(log);
      const total = sizeOf(ends);
      for (;;) {
        const left = await leftOf(pool, generation.generation, ends);
        const jobs = await pendingJobs(pool, generation.generation, ends);
        onProgress?.({ handled: Number(total - left.messages), total: Number(total), jobs });
        if (left.messages === 0n && left.others === 0n) break;
        await Promise.race([pause(LOOK_MS), done]);
      }
      // Live traffic goes on making jobs: those about what was there are waited for, and what they answer.
      for (;;) {
        const jobs = await pendingJobs(pool, generation.generation, ends);
        onProgress?.({ handled: Number(total), total: Number(total), jobs });
        if (jobs === 0) {
          const lags = await Promise.all(works.map((work) => work.lag?.() ?? 0n));
          if (lags.every((records) => records < SMALL_LAG)) return;
        }
        await Promise.race([pause(LOOK_MS), done]);
      }
    },
  };
}

/** Live traffic never lets the lag be nothing for long. */
const SMALL_LAG = 1000n;

interface End {
  topic: string;
  partition: number;
  low: bigint;
  high: bigint;
}

function sizeOf(ends: readonly End[]): bigint {
  return ends.reduce((sum, { low, high }) => sum + high - low, 0n);
}

async function endsOf(log: EventLog): Promise<End[]> {
  return (await log.bounds(TOPICS.messages)).map((bounds) => ({ ...bounds, topic: TOPICS.messages }));
}

/** Records below the ends that the consumers of chat.messages have not handled: the truncator's, and those of others. */
async function leftOf(
  pool: pg.Pool,
  generation: number,
  ends: readonly End[],
): Promise<{ messages: bigint; others: bigint }> {
  const { rows } = await pool.query<{ consumer: string; partition: number; next_offset: string }>(
    `select consumer, partition, next_offset from palimpsest.checkpoints where generation = $1 and topic = $2`,
    [generation, TOPICS.messages],
  );
  const left = { messages: 0n, others: 0n };
  for (const consumer of new Set(['truncator', ...rows.map((row) => row.consumer)])) {
    for (const { partition, low, high } of ends) {
      const row = rows.find((one) => one.consumer === consumer && one.partition === partition);
      const next = row === undefined ? low : BigInt(row.next_offset);
      if (next < high) left[consumer === 'truncator' ? 'messages' : 'others'] += high - next;
    }
  }
  return left;
}

/**
 * Jobs about events below the ends that are not finished, those that failed for good excepted. The public view of
 * graphile-worker leaves the payload out, which says what a job is about.
 */
async function pendingJobs(pool: pg.Pool, generation: number, ends: readonly End[]): Promise<number> {
  const tables = await pool.query<{ there: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as there`,
  );
  if (tables.rows[0]?.there !== true) return 0;
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from graphile_worker._private_jobs job
     join graphile_worker._private_tasks task on task.id = job.task_id
     join unnest($2::int[], $3::bigint[]) as ends (partition, high)
       on ends.partition = (job.payload ->> 'partition')::int
         and (job.payload ->> 'seen_offset')::bigint < ends.high
     where task.identifier in ('summarize:' || $1, 'extract-facts:' || $1) and job.attempts < job.max_attempts`,
    [String(generation), ends.map(({ partition }) => partition), ends.map(({ high }) => high)],
  );
  return rows[0]?.n ?? 0;
}
