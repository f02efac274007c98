/**
 * EventLog, the port to the log of events.
 *
 * What an implementation promises
 * - Order holds inside one partition, and only there. A record's partition follows from its key alone
 *   (see `partitionOf`), so one conversation is always one partition.
 * - `append` returns after the records are durable. All records of one call are appended or, on an error, the
 *   caller cannot know: it may append them again, and consumers must recognize a repeated event by its id.
 * - Offsets of a partition grow, are never reused, and may have gaps. They survive retention.
 * - A record may be delivered again: after a crash, a rebalance, or a handler's error.
 *
 * What it does NOT promise
 * - No transaction spans the log and any other store. A consumer's true position is its checkpoint, kept in the
 *   store it writes; `commit` here is only a mirror for lag tools.
 * - No exactly-once delivery, no order across partitions, no waiting for consumers.
 *
 * What a caller must do
 * - Start from its own checkpoint (`startAt`). A position below retention or behind the end is a hard stop
 *   (`OffsetOutOfRangeError`), never a silent jump: behind the end it is a topic made anew, whose first records
 *   would be lost.
 * - Keep handlers short (no model call inside) and await its own work: the next batch of that partition is
 *   delivered only after the handler's promise has resolved.
 */
export interface EventLog {
  /** Creates the topic if it is missing. Legal any time; an existing topic keeps its partitions. */
  createTopic(topic: string, partitions: number): Promise<void>;
  partitions(topic: string): Promise<number>;
  /**
   * Which topic of that name this is: another text after it was deleted and created again, when offsets mean other
   * records. Null where the log cannot tell.
   */
  topicId(topic: string): Promise<string | null>;
  /** Appends in order. Returns the place of each record, in the order given. */
  append(topic: string, records: readonly NewRecord[]): Promise<Appended[]>;
  /** Starts consuming. Resolves when the subscription is set up; batches arrive from then on. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /**
   * Reads records of one partition from `from` (inclusive), in order, at most `limit`; fewer or none at the end.
   * Throws OffsetOutOfRangeError when `from` is below the first offset kept.
   */
  read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]>;
  /** First offset kept and the offset the next record will get, per partition. */
  bounds(topic: string): Promise<PartitionBounds[]>;
  /** Deletes records below `before` (retention). Offsets of what stays do not change. */
  truncate(topic: string, partition: number, before: bigint): Promise<void>;
  close(): Promise<void>;
}

export interface NewRecord {
  key: string | null;
  /** Null is a tombstone. */
  value: Buffer | null;
  headers?: Record<string, string>;
}

export interface LogRecord {
  topic: string;
  partition: number;
  offset: bigint;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
  /** Milliseconds since 1970, when the log took the record. */
  timestamp: number;
}

export interface Appended {
  partition: number;
  offset: bigint;
}

export interface PartitionBounds {
  partition: number;
  /** First offset still kept. */
  low: bigint;
  /** Offset of the next record to be appended. */
  high: bigint;
}

export interface Batch {
  topic: string;
  partition: number;
  /** At least one record, offsets ascending. */
  records: LogRecord[];
  /** Aborted when the subscription stops: give up work that can be done again. */
  signal: AbortSignal;
}

export interface SubscribeOptions {
  /** Consumer group; two subscriptions of one group share partitions, two groups each see everything. */
  group: string;
  topics: readonly string[];
  /**
   * Where to start in a partition: the next offset wanted, null = the first one kept. Asked each time the
   * partition is assigned and again after a handler's error. If it rejects, it is asked again after a pause.
   */
  startAt(topic: string, partition: number): Promise<bigint | null>;
  /**
   * Called one batch at a time per partition; partitions may run side by side. If it rejects, the partition pauses,
   * `startAt` is asked anew and delivery goes on from there; only OffsetOutOfRangeError ends the subscription.
   */
  handler(batch: Batch): Promise<void>;
  /** Upper bounds of one batch. At least one record is delivered whatever its size. */
  maxRecords?: number;
  maxBytes?: number;
  /** Partitions handled side by side (default 3: measured best for Postgres on 2 cores). */
  concurrency?: number;
  /** The log failed in a way that ends the subscription. Called at most once; no batch arrives after it. */
  onFatal(error: unknown): void;
}

export interface Subscription {
  /** Mirrors the consumer's checkpoint into the log for lag tools. Never read back as a start position. */
  commit(topic: string, partition: number, nextOffset: bigint): Promise<void>;
  /** Stops delivery, waits for running handlers (their signal is aborted), then resolves. Idempotent. */
  stop(): Promise<void>;
}

/**
 * The position asked for is below what the log still keeps or, with `high`, behind its end. Nothing was skipped; an
 * operator must decide.
 */
export class OffsetOutOfRangeError extends Error {
  constructor(
    readonly topic: string,
    readonly partition: number,
    readonly wanted: bigint,
    readonly low: bigint,
    readonly high?: bigint,
  ) {
    const found =
      high === undefined
        ? `is below the first one kept (${low}): retention has passed the checkpoint, or the topic was made anew`
        : `is behind the end (${high}): the topic was made anew, or its data were lost`;
    super(
      `Offset ${wanted} of ${topic}[${partition}] ${found}. ` +
        `Restore the topic, or begin anew with "palimpsest checkpoints reset" (docs/runbook.md, "Retention passed the ` +
        `checkpoint"); nothing was skipped.`,
    );
    this.name = 'OffsetOutOfRangeError';
  }
}
