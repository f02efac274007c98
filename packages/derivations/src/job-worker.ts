import { EventEmitter } from 'node:events';
import type { Logger } from '@palimpsest/observability';
import { Logger as WorkerLogger, run, type Runner, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import { watchWorkers } from './worker-liveness.js';

export interface JobWorkerOptions {
  pool: pg.Pool;
  task: string;
  concurrency: number;
  pollMs: number;
  reclaimMs: number;
  /** How long a job of a worker nobody knows is left alone. */
  graceMs: number;
  logger: Logger;
  /** Runs one job. Throwing makes graphile-worker try again later, up to the job's limit. */
  handle(payload: unknown, run: { attempt: number; maxAttempts: number; signal: AbortSignal }): Promise<void>;
}

export interface JobWorker {
  /** Aborts the signal of running jobs and waits for them. */
  stop(): Promise<void>;
}

/** A graphile-worker on the shared pool for one task. Its schema exists when this resolves. */
export async function startJobWorker(options: JobWorkerOptions): Promise<JobWorker> {
  const stopping = new AbortController();
  const events: WorkerEvents = new EventEmitter();
  const liveness = await watchWorkers(options.pool, options.logger, options.graceMs);
  const announcements = new Map<string, Promise<void>>();
  events.on('worker:create', ({ worker }) => {
    const announced = liveness.announce(worker.workerId);
    announced.catch((error: unknown) =>
      options.logger.warn({ err: error }, 'a worker could not be shown alive'),
    );
    announcements.set(worker.workerId, announced);
  });
  let runner: Runner;
  try {
    runner = await run({
      pgPool: options.pool,
      concurrency: options.concurrency,
      pollInterval: options.pollMs,
      noHandleSignals: true,
      noPreparedStatements: false,
      parsedCronItems: [],
      events,
      logger: workerLogger(options.logger),
      taskList: {
        [options.task]: async (payload, helpers) => {
          await announcements.get(helpers.job.locked_by ?? '');
          const { attempts, max_attempts } = helpers.job;
          await options.handle(payload, {
            attempt: attempts,
            maxAttempts: max_attempts,
            signal: stopping.signal,
          });
        },
      },
    });
  } catch (error) {
    liveness.close();
    throw error;
  }
  const reclaim = (): void => {
    liveness.reclaim(options.task).catch((error: unknown) => {
      options.logger.warn(
        { err: error, task: options.task },
        'looking for jobs of dead workers failed; it is tried again',
      );
    });
  };
  reclaim();
  const timer = setInterval(reclaim, options.reclaimMs);
  runner.promise.catch((error: unknown) => {
    options.logger.error({ err: error, task: options.task }, 'the job worker ended; restart the service');
  });
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error('the service is stopping; the job is tried again by the next one'));
      await runner.stop().catch(() => undefined); // already stopped
      liveness.close();
    },
  };
}

/** Errors and warnings of the library go to our log; its chatter does not. */
function workerLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    if (level === 'error') logger.warn({ worker: message }, 'graphile-worker reports an error');
    else logger.debug({ worker: message }, 'graphile-worker');
  });
}
