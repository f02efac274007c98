import type { LogRecord } from '@palimpsest/log';
import type { FetchedPage } from './committed-records.js';

/**
 * What was fetched of one partition ahead of its reader: a bounded queue. The fetcher fills it while `wants`, so a
 * slow reader holds its own partition back and no other.
 */
export class PartitionFeed {
  readonly topic: string;
  readonly partition: number;
  readonly #maxBytes: number;
  readonly #onWanted: () => void;
  #position: bigint;
  #records: LogRecord[] = [];
  #taken = 0;
  #bytes = 0;
  #error: unknown;
  #wake: (() => void) | undefined;

  /** `onWanted` is called when a feed that was full wants records again. */
  constructor(topic: string, partition: number, from: bigint, maxBytes: number, onWanted: () => void) {
    this.topic = topic;
    this.partition = partition;
    this.#position = from;
    this.#maxBytes = maxBytes;
    this.#onWanted = onWanted;
  }

  /** The offset to fetch next. */
  get position(): bigint {
    return this.#position;
  }

  get wants(): boolean {
    return this.#error === undefined && this.#bytes < this.#maxBytes;
  }

  /** Takes a page in; one that was asked for at another position is dropped. */
  accept(from: bigint, page: FetchedPage): void {
    if (from !== this.#position || this.#error !== undefined) return;
    this.#position = page.next;
    for (const record of page.records) {
      this.#records.push(record);
      this.#bytes += sizeOf(record);
    }
    if (page.records.length > 0) this.#wake?.();
  }

  /** The reader meets `error` when it has taken what came before it. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** The next records within the limits, at least one of them; none only when `signal` is aborted. */
  async next(maxRecords: number, maxBytes: number, signal: AbortSignal): Promise<LogRecord[]> {
    while (this.#taken === this.#records.length) {
      if (signal.aborted) return [];
      if (this.#error !== undefined) throw this.#error;
      await this.#filled(signal);
    }
    return this.#take(maxRecords, maxBytes);
  }

  #take(maxRecords: number, maxBytes: number): LogRecord[] {
    const start = this.#taken;
    const hadEnough = !this.wants;
    let bytes = 0;
    let end = start;
    while (end < this.#records.length && end - start < maxRecords) {
      const size = sizeOf(this.#records[end] as LogRecord);
      if (end > start && bytes + size > maxBytes) break;
      bytes += size;
      end++;
    }
    const taken = this.#records.slice(start, end);
    this.#taken = end;
    this.#bytes -= bytes;
    if (end === this.#records.length || end > 10_000) {
      this.#records = this.#records.slice(end);
      this.#taken = 0;
    }
    if (hadEnough && this.wants) this.#onWanted();
    return taken;
  }

  #filled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

function sizeOf({ key, value }: LogRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
