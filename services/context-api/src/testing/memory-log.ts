import {
  type Appended,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type PartitionBounds,
  partitionOf,
} from '@palimpsest/log';

/** A log in memory for tests of what writes to it: appends and reads, no subscriptions. */
export class MemoryLog implements EventLog {
  readonly records: LogRecord[] = [];
  /** Set it to make appends fail. */
  failure: Error | null = null;
  readonly #topics = new Map<string, number>();

  async createTopic(topic: string, partitions: number): Promise<void> {
    if (!this.#topics.has(topic)) this.#topics.set(topic, partitions);
  }

  async partitions(topic: string): Promise<number> {
    const partitions = this.#topics.get(topic);
    if (partitions === undefined) throw new Error(`No topic ${topic}.`);
    return partitions;
  }

  async topicId(): Promise<null> {
    return null;
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Appended[]> {
    if (this.failure !== null) throw this.failure;
    const partitions = await this.partitions(topic);
    return records.map(({ key, value, headers }) => {
      const partition = partitionOf(key, partitions);
      const offset = this.#high(topic, partition);
      this.records.push({ topic, partition, offset, key, value, headers: headers ?? {}, timestamp: 0 });
      return { partition, offset };
    });
  }

  async read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    return this.#of(topic, partition)
      .filter((record) => record.offset >= from)
      .slice(0, limit);
  }

  async bounds(topic: string): Promise<PartitionBounds[]> {
    return Array.from({ length: await this.partitions(topic) }, (_, partition) => ({
      partition,
      low: 0n,
      high: this.#high(topic, partition),
    }));
  }

  async subscribe(): Promise<never> {
    throw new Error('This log has no subscriptions.');
  }

  async truncate(): Promise<never> {
    throw new Error('This log keeps everything.');
  }

  async close(): Promise<void> {}

  #of(topic: string, partition: number): LogRecord[] {
    return this.records.filter((record) => record.topic === topic && record.partition === partition);
  }

  #high(topic: string, partition: number): bigint {
    return BigInt(this.#of(topic, partition).length);
  }
}
