import { type Batch, OffsetOutOfRangeError, type LogRecord, type PartitionBounds } from '@palimpsest/log';
import { FetchOutOfRange } from './fetcher.js';
import { isPermanent, MissingTopicError, TopicMadeAnewError } from './kafka-error.js';
import type { PartitionFeed } from './partition-feed.js';
import { pause } from '@palimpsest/log';
import type { Turns } from '@palimpsest/log';

export interface ReaderOptions {
  topic: string;
  partition: number;
  maxRecords: number;
  maxBytes: number;
  turns: Turns;
  /** The reader that had the partition before, until its last handler has ended. */
  after: Promise<void>;
  /** How long a topic may be unknown to the cluster before that ends the subscription. */
  missingTopicMs: number;
  open(from: bigint): PartitionFeed;
  release(feed: PartitionFeed): void;
  bounds(): Promise<PartitionBounds>;
  startAt(topic: string, partition: number): Promise<bigint | null>;
  handler(batch: Batch): Promise<void>;
  /** Resolves when the group is known to still count on us. */
  confirmed(signal: AbortSignal): Promise<void>;
  onFatal(error: unknown): void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/**
 * Delivers one partition, batch after batch, for as long as it is assigned.
 *
 * | in state  | leaves it by |
 * |-----------|--------------|
 * | starting  | position known -> reading; out of range -> ended (fatal); other error -> pausing |
 * | reading   | records -> handling; out of range -> ended (fatal); other error -> pausing |
 * | handling  | done -> reading; error -> pausing |
 * | pausing   | time is up -> starting, from the checkpoint |
 * | any       | stop -> ended, after the running handler |
 */
export class PartitionReader {
  readonly #options: ReaderOptions;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #feed: PartitionFeed | undefined;
  #missingSince: number | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#ended = this.#run().finally(() => this.#release());
  }

  /** Aborts the signal of the running handler and waits for it. */
  stop(): Promise<void> {
    this.#abort.abort();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    await this.#options.after;
    let failures = 0;
    while (!signal.aborted) {
      try {
        this.#feed ??= await this.#start();
        const records = await this.#feed.next(this.#options.maxRecords, this.#options.maxBytes, signal);
        await this.#options.confirmed(signal);
        if (signal.aborted) return;
        await this.#handle(records);
        failures = 0;
      } catch (error) {
        this.#release();
        if (signal.aborted) return;
        const fatal = await this.#fatal(error);
        if (fatal !== undefined) return this.#options.onFatal(fatal);
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS), signal);
      }
    }
  }

  async #start(): Promise<PartitionFeed> {
    const { topic, partition } = this.#options;
    // A store that does not answer must not keep the subscription from stopping.
    const wanted = await orAborted(this.#options.startAt(topic, partition), this.#abort.signal);
    return this.#options.open(await this.#checked(wanted));
  }

  async #checked(wanted: bigint | null): Promise<bigint> {
    const { topic, partition } = this.#options;
    const { low, high } = await this.#options.bounds();
    this.#missingSince = undefined;
    if (wanted === null) return low;
    if (wanted < low) throw new OffsetOutOfRangeError(topic, partition, wanted, low);
    if (wanted > high) throw new OffsetOutOfRangeError(topic, partition, wanted, low, high);
    return wanted;
  }

  /** The error that ends the subscription, or undefined for one that is met by starting again. */
  async #fatal(error: unknown): Promise<unknown> {
    if (error instanceof FetchOutOfRange) {
      // Only the bounds tell which side it is on; a broker that lags behind its leader may be wrong for a moment.
      return this.#checked(error.wanted).then(
        () => undefined,
        (reason: unknown) =>
          reason instanceof OffsetOutOfRangeError || reason instanceof TopicMadeAnewError
            ? reason
            : undefined,
      );
    }
    if (error instanceof OffsetOutOfRangeError || error instanceof TopicMadeAnewError) return error;
    if (isPermanent(error)) return error;
    if (error instanceof MissingTopicError) {
      this.#missingSince ??= performance.now();
      if (performance.now() - this.#missingSince > this.#options.missingTopicMs) return error;
    }
    return undefined;
  }

  async #handle(records: LogRecord[]): Promise<void> {
    const { topic, partition, handler, turns } = this.#options;
    const { signal } = this.#abort;
    await turns.take(async () => {
      if (!signal.aborted) await handler({ topic, partition, records, signal });
    });
  }

  #release(): void {
    if (this.#feed !== undefined) this.#options.release(this.#feed);
    this.#feed = undefined;
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
