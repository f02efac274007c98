import type { Batch } from '@palimpsest/log';
import { AbortedError, backoffMs, wait } from './backoff.js';
import { type Checkpoint, type CheckpointKey, readCheckpoint } from './checkpoint.js';
import { classifyError } from './classify-error.js';
import type { BatchContext, DecodedRecord, RetryOptions } from './consumer.js';
import { appendDeadLetter, errorText } from './dead-letter.js';
import { decodeBatch, type Item } from './decode-batch.js';
import { PoisonError, StaleOwnerError } from './errors.js';
import type { LoopOptions } from './consumer-loop.js';
import { PoisonKeys } from './poison-keys.js';

const DEFAULT_KEY_BUDGET = 3;

/**
 * Handles the batches of one partition under one epoch. Whatever fails here leaves the checkpoint where it was:
 * the caller lets the error go to the log, which asks for the position anew.
 */
export class PartitionWorker {
  readonly #options: LoopOptions;
  readonly #key: CheckpointKey;
  readonly #checkpoint: Checkpoint;
  readonly #retry: RetryOptions;
  readonly #poisonKeys: PoisonKeys;

  constructor(options: LoopOptions, key: CheckpointKey, checkpoint: Checkpoint) {
    this.#options = options;
    this.#key = key;
    this.#checkpoint = { ...checkpoint };
    this.#retry = options.retry;
    this.#poisonKeys = new PoisonKeys(options.retry.keyBudget ?? DEFAULT_KEY_BUDGET);
  }

  async handle(batch: Batch): Promise<void> {
    const records = batch.records.filter((record) => record.offset >= this.#checkpoint.nextOffset);
    if (records.length === 0) return;
    const { signal } = batch;
    try {
      const items = await this.#untilUp(
        () => decodeBatch(records, this.#options.decode, this.#options.accepts),
        signal,
      );
      for (const item of items) if (item.kind === 'poison') await this.#bury(item, item.error, 1, signal);
      await this.#handleItems(await this.#setAside(items, signal), this.#retry.attempts, signal);
    } finally {
      this.#ready();
    }
  }

  /**
   * Handles `items` whole, up to `tries` times; then halves them, so that what can be handled is, and the record to
   * blame ends up alone. Halves are tried once each: only a record alone is given all its attempts, and one of a
   * poison key a single one.
   */
  async #handleItems(items: readonly Item[], tries: number, signal: AbortSignal): Promise<void> {
    let away = 0;
    for (let attempt = 1; ; attempt++) {
      const error = await this.#attempt(items, signal);
      if (error === null) return;
      this.#options.dropState?.(this.#key.topic, this.#key.partition);
      const found = classifyError(error);
      if (found === 'stale' || found === 'fatal') throw error;
      const named = poisonOf(error);
      const blamed = items.findIndex((item) => item.kind === 'event' && item.record.offset === named?.offset);
      if (found === 'poison' && named !== null && blamed >= 0) {
        return this.#without(items, blamed, named, attempt, signal);
      }
      this.#options.metrics.consumer_retries_total.inc({ consumer: this.#key.consumer, class: found });
      if (found === 'database') {
        this.#log('warn', error, 'waits for the database');
        this.#notReady();
        await wait(backoffMs(this.#retry, ++away), signal);
        if (await this.#untilUp(() => this.#hasCommitted(items), signal)) return this.#committed(items);
        attempt--;
        continue;
      }
      const events = items.filter((item) => item.kind === 'event');
      const suspected = this.#poisonKeys.isIn(items);
      if (attempt >= (suspected ? 1 : tries) && events.length > 1) {
        const parts = suspected ? this.#poisonKeys.apart(items) : halves(items);
        for (const part of parts) await this.#handleItems(await this.#setAside(part, signal), 1, signal);
        return;
      }
      const alone = events.length === 1 ? events[0] : undefined;
      if (
        alone !== undefined &&
        attempt >= (suspected ? 1 : this.#retry.attempts) &&
        (found === 'handler' || found === 'poison')
      ) {
        const { offset, key } = alone.record;
        this.#poisonKeys.blame(key);
        const poison = new PoisonError('The record could not be handled.', { offset, cause: error });
        return this.#without(items, items.indexOf(alone), poison, attempt, signal);
      }
      this.#log('warn', error, `${items.length} records are tried again (${found}, attempt ${attempt})`);
      if (found === 'retryable' && attempt > 3) this.#notReady();
      await wait(backoffMs(this.#retry, attempt), signal);
    }
  }

  /** Goes on with one record of `items` in the dead letters. */
  async #without(
    items: readonly Item[],
    at: number,
    error: PoisonError,
    attempts: number,
    signal: AbortSignal,
  ): Promise<void> {
    const item = items[at] as Item;
    await this.#bury(item, error, attempts, signal);
    const rest = items.with(at, { kind: 'poison', record: item.record, error });
    return this.#handleItems(await this.#setAside(rest, signal), this.#retry.attempts, signal);
  }

  /** What goes to the dead letters untried, by the policy for later events of a poison key. */
  async #setAside(items: readonly Item[], signal: AbortSignal): Promise<readonly Item[]> {
    if (this.#options.poisonKey !== 'dead-letter' || !this.#poisonKeys.isIn(items)) return items;
    const kept: Item[] = [];
    for (const item of items) {
      if (!this.#poisonKeys.isEventOf(item)) {
        kept.push(item);
        continue;
      }
      const { record } = item;
      const text = 'Records of its key before it could not be handled, and it must not overtake them.';
      const error = new PoisonError(text, { offset: record.offset, errorClass: 'poison-key' });
      await this.#bury(item, error, 0, signal);
      kept.push({ kind: 'poison', record, error });
    }
    return kept;
  }

  /** Null when it is committed. */
  async #attempt(items: readonly Item[], signal: AbortSignal): Promise<unknown> {
    if (items.length === 0) return null;
    // No new transaction once the consumer stops; one under way is left to finish.
    if (signal.aborted) throw new AbortedError('The consumer stops.');
    const context = this.#context(items, signal);
    const events = eventsOf(items);
    const stop = this.#options.metrics.consumer_batch_seconds.startTimer({ consumer: this.#key.consumer });
    try {
      await this.#options.apply(events, context, this.#key, this.#checkpoint);
    } catch (error) {
      return error ?? new Error('The handler rejected with nothing.');
    }
    stop();
    this.#committed(items);
    if (events.length > 0) {
      await this.#options
        .afterCommit?.(events, context)
        .catch((error: unknown) => this.#log('error', error, 'what follows the commit failed'));
    }
    return null;
  }

  #committed(items: readonly Item[]): void {
    this.#ready();
    this.#poisonKeys.absolve(items);
    const { topic, partition, consumer } = this.#key;
    this.#checkpoint.nextOffset = nextOffsetOf(items);
    this.#options.metrics.consumer_records_total.inc({ consumer, topic }, items.length);
    const tombstones = items.filter((item) => item.kind === 'tombstone').length;
    if (tombstones > 0) this.#options.metrics.consumer_tombstones_total.inc({ consumer, topic }, tombstones);
    this.#options.mirror.note(topic, partition, this.#checkpoint.nextOffset);
  }

  /** A connection may break between a commit and its answer: the checkpoint tells which it was. */
  async #hasCommitted(items: readonly Item[]): Promise<boolean> {
    const found = await readCheckpoint(this.#options.pool, this.#key);
    if (found?.epoch === this.#checkpoint.epoch) {
      if (found.nextOffset === nextOffsetOf(items)) return true;
      if (found.nextOffset === this.#checkpoint.nextOffset) return false;
    }
    throw new StaleOwnerError(
      `The checkpoint of ${this.#key.consumer} in ${this.#key.topic}[${this.#key.partition}] was moved by another ` +
        `process while the database was away.`,
    );
  }

  /** Before the checkpoint moves: after a crash in between the letter is there twice, never not at all. */
  async #bury(item: Item, error: PoisonError, attempts: number, signal: AbortSignal): Promise<void> {
    const { record } = item;
    const { consumer } = this.#key;
    const letter = { ...record, consumer, errorClass: error.errorClass, error: errorText(error), attempts };
    await this.#untilUp(() => appendDeadLetter(this.#options.log, letter), signal);
    this.#options.metrics.dead_letters_total.inc({ consumer, topic: record.topic, class: error.errorClass });
    this.#log('warn', error, `record ${record.offset} was put to the dead letters (${error.errorClass})`);
  }

  /** Runs `work` until it works, however long that takes; only a stale or fatal error ends the wait. */
  async #untilUp<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const found = classifyError(error);
        if (found === 'stale' || found === 'fatal') throw error;
        this.#options.metrics.consumer_retries_total.inc({ consumer: this.#key.consumer, class: found });
        this.#log('warn', error, `waits for a dependency (attempt ${attempt})`);
        this.#notReady();
        await wait(backoffMs(this.#retry, attempt), signal);
      }
    }
  }

  /** Until the next commit, or until the batch is given up. */
  #notReady(): void {
    this.#options.readiness.waits(this.#place);
  }

  #ready(): void {
    this.#options.readiness.settled(this.#place);
  }

  get #place(): string {
    return `${this.#key.topic}/${this.#key.partition}`;
  }

  #context(items: readonly Item[], signal: AbortSignal): BatchContext {
    const { topic, partition, generation } = this.#key;
    const { nextOffset: fromOffset, epoch } = this.#checkpoint;
    return { topic, partition, generation, fromOffset, nextOffset: nextOffsetOf(items), epoch, signal };
  }

  #log(level: 'warn' | 'error', err: unknown, message: string): void {
    const { consumer, topic, partition } = this.#key;
    this.#options.logger[level]({ err, consumer, topic, partition }, message);
  }
}

function halves(items: readonly Item[]): (readonly Item[])[] {
  const half = Math.ceil(items.length / 2);
  return [items.slice(0, half), items.slice(half)];
}

function eventsOf(items: readonly Item[]): DecodedRecord[] {
  return items.flatMap((item) => (item.kind === 'event' ? [item.decoded] : []));
}

function nextOffsetOf(items: readonly Item[]): bigint {
  return (items.at(-1) as Item).record.offset + 1n;
}

function poisonOf(error: unknown): PoisonError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof PoisonError) return cause;
  }
  return null;
}
