import { deadLetterTopic } from '@palimpsest/events';
import type { Batch, Subscription } from '@palimpsest/log';
import { wait } from './backoff.js';
import { type Checkpoint, type CheckpointKey, takeOver } from './checkpoint.js';
import { classifyError } from './classify-error.js';
import { CommitMirror } from './commit-mirror.js';
import type {
  BatchContext,
  CommonOptions,
  DecodedRecord,
  RetryOptions,
  RunningConsumer,
} from './consumer.js';
import { FatalError } from './errors.js';
import { measureLag } from './measure-lag.js';
import { PartitionWorker } from './partition-worker.js';
import { Readiness } from './readiness.js';

/** Gives the events their effect and moves the checkpoint to `context.nextOffset`, or throws. */
export type Apply = (
  events: readonly DecodedRecord[],
  context: BatchContext,
  key: CheckpointKey,
  checkpoint: Checkpoint,
) => Promise<void>;

/** What a partition's worker works with. */
export interface LoopOptions extends CommonOptions {
  retry: RetryOptions;
  apply: Apply;
  afterCommit?: ((events: readonly DecodedRecord[], context: BatchContext) => Promise<void>) | undefined;
  mirror: CommitMirror;
  readiness: Readiness;
}

const DEFAULT_RETRY: RetryOptions = { minMs: 100, maxMs: 10_000, attempts: 5 };
const LAG_INTERVAL_MS = 15_000;
/** Time for the log to take a lost partition away: claiming it at once would fence off the rightful owner. */
const STALE_PAUSE_MS = 1000;

/** One subscription, with a worker for each partition that is assigned to it. */
export class ConsumerLoop {
  readonly #options: LoopOptions;
  readonly #workers = new Map<string, PartitionWorker>();
  readonly #subscribed: Promise<Subscription>;
  readonly #done: Promise<void>;
  #setSubscribed!: (subscription: Subscription) => void;
  #settle!: (fatal: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  #fatal: unknown;

  constructor(options: CommonOptions, apply: Apply, afterCommit?: LoopOptions['afterCommit']) {
    const { name, logger } = options;
    this.#subscribed = new Promise((resolve) => (this.#setSubscribed = resolve));
    this.#done = new Promise((resolve, reject) => {
      this.#settle = (fatal) => (fatal === undefined ? resolve() : reject(fatal));
    });
    // Logged besides, so that a caller who does not watch it is not ended by an unhandled rejection.
    this.#done.catch(() => undefined);
    this.#options = {
      ...options,
      retry: options.retry ?? DEFAULT_RETRY,
      apply,
      afterCommit,
      readiness: new Readiness((ready) =>
        options.metrics.consumer_ready.set({ consumer: name }, ready ? 1 : 0),
      ),
      mirror: new CommitMirror(
        async (topic, partition, next) => (await this.#subscribed).commit(topic, partition, next),
        (err) => logger.warn({ err, consumer: name }, 'the checkpoint could not be mirrored into the log'),
      ),
    };
  }

  async start(): Promise<RunningConsumer> {
    const { name, generation, topics, log, maxRecords, concurrency } = this.#options;
    for (const topic of topics) await log.createTopic(deadLetterTopic(topic), await log.partitions(topic));
    const subscription = await log.subscribe({
      group: `${name}.g${generation}`,
      topics,
      startAt: (topic, partition) => this.#startAt(topic, partition),
      handler: (batch) => this.#handle(batch),
      onFatal: (error) => this.#end(error),
      ...(maxRecords === undefined ? {} : { maxRecords }),
      ...(concurrency === undefined ? {} : { concurrency }),
    });
    this.#setSubscribed(subscription);
    const lag = (): Promise<bigint> => measureLag(this.#options);
    this.#timer = setInterval(() => void lag().catch(() => undefined), LAG_INTERVAL_MS);
    this.#timer.unref();
    return {
      stop: () => this.#stop(),
      done: this.#done,
      lag,
      ready: () => this.#options.readiness.isReady && this.#stopping === undefined,
    };
  }

  /** Called by the log at each assignment and after each error: whoever owned the partition before is fenced off. */
  async #startAt(topic: string, partition: number): Promise<bigint> {
    const { name, generation, log, pool, logger, readiness, dropState } = this.#options;
    const place = `${topic}/${partition}`;
    const key: CheckpointKey = { generation, consumer: name, topic, partition };
    this.#workers.delete(place);
    dropState?.(topic, partition);
    try {
      const checkpoint = await takeOver(pool, key, await log.topicId(topic), async () => {
        const bounds = (await log.bounds(topic)).find((one) => one.partition === partition);
        return bounds?.low ?? 0n;
      });
      this.#workers.set(place, new PartitionWorker(this.#options, key, checkpoint));
      readiness.settled(place);
      return checkpoint.nextOffset;
    } catch (err) {
      readiness.waits(place);
      logger.warn({ err, consumer: name, topic, partition }, 'the checkpoint could not be loaded');
      if (classifyError(err) === 'fatal') this.#end(err);
      throw err;
    }
  }

  async #handle(batch: Batch): Promise<void> {
    const { topic, partition, signal } = batch;
    const { name, metrics, logger, retry, dropState } = this.#options;
    const worker = this.#workers.get(`${topic}/${partition}`);
    if (worker === undefined)
      throw new Error(`${topic}[${partition}] was delivered before its checkpoint was loaded.`);
    try {
      await worker.handle(batch);
    } catch (error) {
      dropState?.(topic, partition);
      const found = classifyError(error);
      if (found === 'fatal') this.#end(error);
      if (found === 'stale') {
        metrics.stale_owner_writes_total.inc({ consumer: name });
        logger.warn(
          { err: error, consumer: name, topic, partition },
          'the partition is left to its new owner',
        );
        await wait(Math.min(retry.maxMs, STALE_PAUSE_MS), signal);
      }
      throw error;
    }
  }

  #end(error: unknown): void {
    if (this.#fatal !== undefined || this.#stopping !== undefined) return;
    this.#fatal = error ?? new FatalError('The consumer ended with an unnamed error.');
    this.#options.logger.fatal({ err: this.#fatal, consumer: this.#options.name }, 'the consumer stops');
    // Not awaited: a handler that reports it is one of those that stop waits for.
    void this.#stop();
  }

  #stop(): Promise<void> {
    this.#stopping ??= (async () => {
      clearInterval(this.#timer);
      await (await this.#subscribed).stop();
      await this.#options.mirror.drain();
      this.#settle(this.#fatal);
    })();
    return this.#stopping;
  }
}
