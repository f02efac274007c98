import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics, type Logger, type Metrics } from '@palimpsest/observability';
import { type Strategy, strategyFromCanonical } from '@palimpsest/strategy';
import { listGenerations } from '@palimpsest/views';
import type pg from 'pg';
import type { StartedService } from './host-service.js';

/** What a service does for one generation. */
export interface GenerationWork extends StartedService {
  lag?(): Promise<bigint>;
  pendingJobs?(): Promise<number>;
}

export interface FollowOptions {
  pool: pg.Pool;
  logger: Logger;
  metrics: Metrics;
  /** How often generations are looked at. Default 1 s. */
  pollMs?: number;
  /** Starts the work for a generation; null = its strategy has none for this service. */
  start(of: FollowedGeneration): Promise<GenerationWork | null>;
}

export interface FollowedGeneration {
  generation: number;
  strategy: Strategy;
  /** The service's own for the live generation; of the others nobody is told, so that one lag is one number. */
  metrics: Metrics;
}

export interface FollowedGenerations extends StartedService {
  /** Records not handled yet, of all generations that are followed. */
  lag(): Promise<bigint>;
  pendingJobs(): Promise<number>;
}

interface Running {
  status: string;
  work: GenerationWork | null;
}

const POLL_MS = 1000;

/**
 * Does a service's work for the live generation and those that stand by, and follows when another is promoted or one
 * is retired, without a restart. Resolves when the first look's work has started.
 */
export async function followGenerations(options: FollowOptions): Promise<FollowedGenerations> {
  const followed = new GenerationFollower(options);
  await followed.look();
  followed.watch();
  return followed;
}

class GenerationFollower implements FollowedGenerations {
  readonly #options: FollowOptions;
  readonly #running = new Map<number, Running>();
  readonly #stopping = new AbortController();
  readonly done: Promise<void>;
  #fail!: (error: unknown) => void;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: FollowOptions) {
    this.#options = options;
    this.done = new Promise((_, reject) => (this.#fail = reject));
    // Who does not watch it is not to be ended by it.
    this.done.catch(() => undefined);
  }

  /** Starts what is new, stops what is gone. */
  async look(): Promise<void> {
    const found = await listGenerations(this.#options.pool);
    const wanted = found.filter(({ status }) => status === 'live' || status === 'standby');
    for (const [generation, { status }] of this.#running) {
      if (!wanted.some((one) => one.generation === generation && one.status === status)) {
        await this.#end(generation);
      }
    }
    for (const { generation, status, strategy } of wanted) {
      if (this.#running.has(generation) || this.#stopping.signal.aborted) continue;
      const work = await this.#options.start({
        generation,
        strategy: strategyFromCanonical(strategy),
        metrics: status === 'live' ? this.#options.metrics : createMetrics(),
      });
      this.#running.set(generation, { status, work });
      this.#options.logger.info({ generation, status }, `follows generation ${generation} (${status})`);
      work?.done.catch((error: unknown) => this.#fail(error));
    }
  }

  watch(): void {
    this.#watching = (async () => {
      while (!this.#stopping.signal.aborted) {
        const { pollMs = POLL_MS, logger } = this.#options;
        await pause(pollMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
        if (this.#stopping.signal.aborted) return;
        await this.look().catch((err: unknown) =>
          logger.warn({ err }, 'the generations could not be looked at'),
        );
      }
    })();
  }

  async lag(): Promise<bigint> {
    const lags = await Promise.all([...this.#running.values()].map(({ work }) => work?.lag?.() ?? 0n));
    return lags.reduce((sum, lag) => sum + lag, 0n);
  }

  async pendingJobs(): Promise<number> {
    const jobs = await Promise.all([...this.#running.values()].map(({ work }) => work?.pendingJobs?.() ?? 0));
    return jobs.reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    await Promise.all([...this.#running.keys()].map((generation) => this.#end(generation)));
  }

  async #end(generation: number): Promise<void> {
    const running = this.#running.get(generation);
    this.#running.delete(generation);
    await running?.work?.stop();
  }
}
