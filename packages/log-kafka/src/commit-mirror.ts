import { errorType } from './kafka-error.js';

export interface MirroredOffset {
  topic: string;
  partition: number;
  offset: string;
}

// Another member owns the partition by now: it mirrors, we need not.
const NOT_OURS = new Set([
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'REBALANCE_IN_PROGRESS',
  'FENCED_INSTANCE_ID',
]);

/** Sends the newest offset of each partition, one request at a time: what comes meanwhile shares the next one. */
export class CommitMirror {
  readonly #send: (offsets: MirroredOffset[]) => Promise<void>;
  #waiting = new Map<string, MirroredOffset>();
  #sending: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(send: (offsets: MirroredOffset[]) => Promise<void>) {
    this.#send = send;
  }

  /** Resolves when Kafka has it, or when it is no longer ours to tell. */
  commit(topic: string, partition: number, nextOffset: bigint): Promise<void> {
    this.#waiting.set(`${topic}/${partition}`, { topic, partition, offset: nextOffset.toString() });
    this.#next ??= this.#sendNext(this.#sending);
    return this.#next;
  }

  /** Waits for what was under way. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#sending).catch(() => undefined);
  }

  async #sendNext(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined);
    const offsets = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#sending = this.#next as Promise<void>;
    this.#next = undefined;
    try {
      await this.#send(offsets);
    } catch (error) {
      if (NOT_OURS.has(errorType(error))) return;
      throw new Error(
        `Kafka did not take the mirrored offsets (${errorType(error)}): lag tools show too much until the next ones; ` +
          `nothing else is lost.`,
        { cause: error },
      );
    }
  }
}
