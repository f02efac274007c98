import type { Appended, NewRecord } from '@palimpsest/log';
import { type Kafka, type Message, Partitioners, type Producer } from 'kafkajs';
import { errorType } from './kafka-error.js';

interface Call {
  appended: Appended[];
  missing: number;
  resolve(appended: Appended[]): void;
  reject(error: unknown): void;
}

interface Waiting {
  call: Call;
  index: number;
  partition: number;
  message: Message;
  bytes: number;
}

// Below Kafka's default of 1,048,588 bytes for a batch (message.max.bytes), with room for its own fields.
const REQUEST_BYTES = 900_000;
const RECORD_OVERHEAD_BYTES = 40;

/**
 * Appends to one topic in order, through one idempotent producer with one request in flight; calls that come while a
 * request is under way share the next. After an error the producer is replaced: kafkajs would give the next batch the
 * sequence numbers of the failed one, and a broker that had stored that would take the new records for repeated ones
 * and drop them. A topic has a producer of its own because one that was deleted stops kafkajs's for all the others.
 */
export class Appender {
  readonly #kafka: Kafka;
  readonly #topic: string;
  #producer: Promise<Producer> | undefined;
  #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(kafka: Kafka, topic: string) {
    this.#kafka = kafka;
    this.#topic = topic;
  }

  append(records: readonly (NewRecord & { partition: number })[]): Promise<Appended[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed)
        return reject(new Error(`Nothing can be appended to ${this.#topic}: the log was closed.`));
      const call: Call = { appended: [], missing: records.length, resolve, reject };
      for (const [index, { key, value, headers, partition }] of records.entries()) {
        const message: Message = { key, value, partition, ...(headers === undefined ? {} : { headers }) };
        this.#waiting.push({ call, index, partition, message, bytes: sizeOf(message) });
      }
      this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    });
  }

  /** Waits for what was handed in. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#sending;
    await this.#discard();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const next = this.#takeRequest();
      try {
        // Alone: a batch is known for a repeated one only if it has the same records.
        for (let unsent = next; unsent.length > 0; ) unsent = await this.#send(unsent);
      } catch (error) {
        // Not awaited: it waits for requests that may never be answered.
        void this.#discard();
        this.#reject(next, error);
      }
    }
  }

  #takeRequest(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const record of this.#waiting) {
      if (count > 0 && bytes + record.bytes > REQUEST_BYTES) break;
      bytes += record.bytes;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Answers with what was not sent: without our patch kafkajs forgets a partition whose leader moves in mid-request. */
  async #send(request: readonly Waiting[]): Promise<Waiting[]> {
    const producer = await this.#connected();
    const placed = await producer.send({
      topic: this.#topic,
      acks: -1,
      messages: request.map(({ message }) => message),
    });
    const nextOffset = new Map(
      placed.map(({ partition, baseOffset }) => [partition, BigInt(baseOffset ?? -1)]),
    );
    const unsent: Waiting[] = [];
    for (const waiting of request) {
      const { call, index, partition } = waiting;
      const offset = nextOffset.get(partition);
      if (offset === undefined) {
        unsent.push(waiting);
        continue;
      }
      nextOffset.set(partition, offset + 1n);
      call.appended[index] = { partition, offset };
      if (--call.missing === 0) call.resolve(call.appended);
    }
    return unsent;
  }

  #reject(failed: readonly Waiting[], error: unknown): void {
    const calls = new Set(failed.map(({ call }) => call));
    this.#waiting = this.#waiting.filter(({ call }) => !calls.has(call));
    for (const call of calls) {
      call.reject(
        new Error(
          `Kafka did not acknowledge records for ${this.#topic} (${errorType(error)}). They may have been stored: append ` +
            `them again, consumers recognize a repeated event by its id.`,
          { cause: error },
        ),
      );
    }
  }

  #connected(): Promise<Producer> {
    if (this.#producer !== undefined) return this.#producer;
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // Every record names its partition; the partitioner is named to keep kafkajs from warning about its default.
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    this.#producer = producer.connect().then(() => producer);
    return this.#producer;
  }

  async #discard(): Promise<void> {
    const discarded = this.#producer;
    this.#producer = undefined;
    await discarded?.then((producer) => producer.disconnect()).catch(() => undefined);
  }
}

function sizeOf({ key, value, headers }: Message): number {
  let bytes = RECORD_OVERHEAD_BYTES + sizeOfText(key) + sizeOfText(value);
  for (const [name, header] of Object.entries(headers ?? {})) {
    bytes += 8 + Buffer.byteLength(name) + sizeOfText(header as string);
  }
  return bytes;
}

function sizeOfText(text: Buffer | string | null | undefined): number {
  return text == null ? 0 : Buffer.byteLength(text);
}
