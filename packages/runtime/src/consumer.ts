import type { PalimpsestEvent } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import type { ConsumerMetrics, Logger } from '@palimpsest/observability';
import type pg from 'pg';

export interface DecodedRecord {
  record: LogRecord;
  event: PalimpsestEvent;
}

export interface BatchContext {
  topic: string;
  partition: number;
  generation: number;
  /** The checkpoint before this batch. */
  fromOffset: bigint;
  /** The checkpoint after it: the offset behind its last record, dead letters and tombstones included. */
  nextOffset: bigint;
  epoch: bigint;
  /** Aborted when the consumer stops: give up work that can be done again. */
  signal: AbortSignal;
}

export interface CommonOptions {
  name: string;
  generation: number;
  topics: readonly string[];
  log: EventLog;
  pool: pg.Pool;
  metrics: ConsumerMetrics;
  logger: Logger;
  /** A throw sends the record to the dead letters; an error with `retryable === true` (registry down) waits instead. */
  decode(record: LogRecord): PalimpsestEvent | Promise<PalimpsestEvent>;
  /** Which events are handled; the others only move the checkpoint. Default: all. */
  accepts?(event: PalimpsestEvent): boolean;
  /** The epoch changed or a transaction failed: forget the hot state of that partition. */
  dropState?(topic: string, partition: number): void;
  /**
   * Later events of a key whose records fail one after the other (`retry.keyBudget`): 'try' (default) gives each one
   * attempt, 'dead-letter' puts them aside untried, so that none overtakes what failed. Other keys go on either way. A
   * new owner of the partition knows of no poison key.
   */
  poisonKey?: 'try' | 'dead-letter';
  maxRecords?: number;
  concurrency?: number;
  retry?: RetryOptions;
}

export interface RetryOptions {
  minMs: number;
  maxMs: number;
  /** How often a failing batch is tried whole, and a failing record alone, before it counts as poison. */
  attempts: number;
  /** How many records of one key in a row are given all attempts before the key counts as poison. Default 3. */
  keyBudget?: number;
}

export interface ConsumerOptions extends CommonOptions {
  /**
   * Called with the events of one batch in one transaction, which also moves the checkpoint. May be called again
   * with the same events, fewer of them, or after a rollback. Not called when nothing of a batch decodes.
   */
  handle(tx: pg.PoolClient, events: readonly DecodedRecord[], context: BatchContext): Promise<void>;
  /** After the commit, at most once per batch: a crash between loses it. Errors are logged, nothing is undone. */
  afterCommit?(events: readonly DecodedRecord[], context: BatchContext): Promise<void>;
}

/** For a sink with effects between two transactions. */
export interface ManualConsumerOptions extends CommonOptions {
  /**
   * Must move the checkpoint to `context.nextOffset` itself before it resolves. May be called again with the same
   * events after an error at any point.
   */
  handleBatch(
    events: readonly DecodedRecord[],
    context: BatchContext,
    checkpoint: CheckpointWriter,
  ): Promise<void>;
}

export interface CheckpointWriter {
  /** Moves the checkpoint inside `tx`. Throws StaleOwnerError when another owner has come. */
  advance(tx: pg.ClientBase, nextOffset: bigint): Promise<void>;
  /** Locks the checkpoint row in `tx` and throws StaleOwnerError when it is no longer ours. */
  assertOwner(tx: pg.ClientBase): Promise<void>;
}

export interface RunningConsumer {
  /** Stops delivery, aborts the signal, waits for running handlers. Idempotent. */
  stop(): Promise<void>;
  /** Resolves after `stop`; rejects when the consumer ended by a fatal error. */
  readonly done: Promise<void>;
  /** Records not yet handled, all partitions. */
  lag(): Promise<bigint>;
  /** False while it waits for a dependency or has not yet loaded the checkpoints of its partitions. */
  ready(): boolean;
}
