import { type Batch, type LogRecord, OffsetOutOfRangeError, type PartitionBounds } from '@palimpsest/log';
import { pause } from '@palimpsest/log';
import type { Turns } from '@palimpsest/log';

export interface ReaderOptions {
  topic: string;
  partition: number;
  maxRecords: number;
  maxBytes: number;
  /** How long it sleeps at the end when nothing wakes it: only matters while the listening connection is broken. */
  pollMs: number;
  turns: Turns;
  fetch(from: bigint): Promise<LogRecord[]>;
  bounds(): Promise<PartitionBounds>;
  startAt(topic: string, partition: number): Promise<bigint | null>;
  handler(batch: Batch): Promise<void>;
  listen(wake: () => void): () => void;
  onFatal(error: unknown): void;
}

interface Prefetched {
  page: Promise<LogRecord[]>;
  /** Number of wake-ups seen when it was asked for. */
  wakes: number;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/**
 * Delivers one partition, batch after batch, for as long as it is assigned.
 *
 * | in state  | leaves it by |
 * |-----------|--------------|
 * | starting  | position known -> reading; out of range -> ended (fatal); other error -> pausing |
 * | reading   | records -> handling; none -> sleeping; out of range -> ended (fatal); other error -> pausing |
 * | handling  | done -> reading; error -> pausing |
 * | sleeping  | wake-up or poll -> reading |
 * | pausing   | time is up -> starting |
 * | any       | stop -> ended, after the running handler |
 */
export class PartitionReader {
  readonly #options: ReaderOptions;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  readonly #removeListener: () => void;
  #wakes = 0;
  #wakeSleeper: (() => void) | undefined;
  #ahead: Prefetched | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#removeListener = options.listen(() => {
      this.#wakes++;
      this.#wakeSleeper?.();
    });
    this.#ended = this.#run();
  }

  /** Aborts the signal of the running handler and waits for it. */
  stop(): Promise<void> {
    this.#abort.abort();
    this.#removeListener();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let position: bigint | null = null;
    let failures = 0;
    while (!signal.aborted) {
      try {
        position ??= await this.#start();
        const wakes = this.#wakes;
        const records = await this.#next(position);
        if (records.length === 0) {
          await this.#sleep(wakes);
          continue;
        }
        const next = (records.at(-1) as LogRecord).offset + 1n;
        if (this.#isFull(records)) this.#fetchAhead(next);
        await this.#handle(records);
        position = next;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof OffsetOutOfRangeError) return this.#options.onFatal(error);
        position = null;
        this.#ahead = undefined;
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS), signal);
      }
    }
  }

  async #start(): Promise<bigint> {
    const { topic, partition } = this.#options;
    const wanted = await this.#options.startAt(topic, partition);
    const { low, high } = await this.#options.bounds();
    if (wanted === null) return low;
    if (wanted < low) throw new OffsetOutOfRangeError(topic, partition, wanted, low);
    if (wanted > high) throw new OffsetOutOfRangeError(topic, partition, wanted, low, high);
    return wanted;
  }

  async #next(position: bigint): Promise<LogRecord[]> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined) return this.#options.fetch(position);
    const page = await ahead.page;
    // More has come since it was fetched: one larger batch is cheaper to handle than two.
    return this.#isFull(page) || ahead.wakes === this.#wakes ? page : this.#options.fetch(position);
  }

  #fetchAhead(from: bigint): void {
    const page = this.#options.fetch(from);
    // Its error is met by whoever takes the page; until then it must not count as unhandled.
    page.catch(() => undefined);
    this.#ahead = { page, wakes: this.#wakes };
  }

  #isFull(records: readonly LogRecord[]): boolean {
    if (records.length === this.#options.maxRecords) return true;
    const bytes = records.reduce((sum, record) => sum + (record.value?.length ?? 0), 0);
    return bytes > this.#options.maxBytes / 2;
  }

  async #handle(records: LogRecord[]): Promise<void> {
    const { topic, partition, handler, turns } = this.#options;
    const { signal } = this.#abort;
    await turns.take(async () => {
      if (!signal.aborted) await handler({ topic, partition, records, signal });
    });
  }

  async #sleep(wakes: number): Promise<void> {
    if (this.#wakes !== wakes) return;
    const woken = new AbortController();
    this.#wakeSleeper = () => woken.abort();
    await pause(this.#options.pollMs, AbortSignal.any([this.#abort.signal, woken.signal]));
    this.#wakeSleeper = undefined;
  }
}
