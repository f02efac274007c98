import { AsyncLocalStorage } from 'node:async_hooks';
import type { Batch, PartitionBounds, SubscribeOptions, Subscription } from '@palimpsest/log';
import type { Kafka } from 'kafkajs';
import { ClusterView } from './cluster-view.js';
import { CommitMirror } from './commit-mirror.js';
import { Fetcher } from './fetcher.js';
import { GroupMember } from './group-member.js';
import { PartitionReader } from './partition-reader.js';
import { TopicIdentity } from './topic-identity.js';
import { Turns } from '@palimpsest/log';

export interface SubscriptionSettings {
  sessionTimeoutMs: number;
  heartbeatMs: number;
  missingTopicMs: number;
}

const DEFAULT_MAX_RECORDS = 500;
const DEFAULT_MAX_BYTES = 4_000_000;
const DEFAULT_CONCURRENCY = 3;

/** One member of the group, one fetcher, and a reader for each partition that is ours. */
export class KafkaSubscription implements Subscription {
  readonly #options: SubscribeOptions;
  readonly #settings: SubscriptionSettings;
  /** For bounds: another connection than the fetcher's, whose requests wait at the broker. */
  readonly #cluster: ClusterView;
  readonly #member: GroupMember;
  readonly #fetcher: Fetcher;
  readonly #mirror: CommitMirror;
  readonly #turns: Turns;
  readonly #readers = new Map<string, PartitionReader>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #inHandler = new AsyncLocalStorage<true>();
  readonly #identity: TopicIdentity;
  #stopped: Promise<void> | undefined;
  #fatal = false;

  constructor(kafka: Kafka, cluster: ClusterView, options: SubscribeOptions, settings: SubscriptionSettings) {
    this.#options = options;
    this.#settings = settings;
    this.#cluster = cluster;
    this.#identity = new TopicIdentity(cluster);
    this.#fetcher = new Fetcher(new ClusterView(kafka), this.#identity);
    this.#turns = new Turns(options.concurrency ?? DEFAULT_CONCURRENCY);
    this.#member = new GroupMember(kafka, {
      group: options.group,
      topics: options.topics,
      sessionTimeoutMs: settings.sessionTimeoutMs,
      heartbeatMs: settings.heartbeatMs,
      onAssigned: (assignment) => this.#assign(assignment),
      onRevoked: () => this.#revoke(),
      onFailed: (error) => this.#fail(error),
    });
    this.#mirror = new CommitMirror((offsets) => this.#member.commit(offsets));
  }

  async start(): Promise<void> {
    try {
      // Before the first checkpoint is asked for: one that is made anew in between is then known to be another.
      for (const topic of this.#options.topics) await this.#identity.verify(topic);
      await this.#member.join();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  commit(topic: string, partition: number, nextOffset: bigint): Promise<void> {
    return this.#mirror.commit(topic, partition, nextOffset);
  }

  /** From inside a handler it only asks for the stop: it cannot wait for the handler that waits for it. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    if (this.#inHandler.getStore() === true) return;
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#revoke();
    await Promise.all(this.#ending.values());
    await this.#mirror.settled();
    await Promise.all([this.#member.leave(), this.#fetcher.close()]);
  }

  #assign(assignment: readonly { topic: string; partition: number }[]): void {
    this.#revoke();
    if (this.#stopped !== undefined) return;
    for (const { topic, partition } of assignment) {
      const key = `${topic}/${partition}`;
      this.#readers.set(key, this.#read(topic, partition, this.#ending.get(key) ?? Promise.resolve()));
    }
  }

  /** The handlers that run are asked to give up, not waited for: kafkajs joins again without waiting for us. */
  #revoke(): void {
    for (const [key, reader] of this.#readers) {
      const ended = reader.stop();
      this.#ending.set(key, ended);
      void ended.then(() => {
        if (this.#ending.get(key) === ended) this.#ending.delete(key);
      });
    }
    this.#readers.clear();
  }

  #read(topic: string, partition: number, after: Promise<void>): PartitionReader {
    const { maxRecords, maxBytes } = this.#options;
    return new PartitionReader({
      topic,
      partition,
      maxRecords: maxRecords ?? DEFAULT_MAX_RECORDS,
      maxBytes: maxBytes ?? DEFAULT_MAX_BYTES,
      turns: this.#turns,
      after,
      missingTopicMs: this.#settings.missingTopicMs,
      open: (from) => this.#fetcher.open(topic, partition, from),
      release: (feed) => this.#fetcher.release(feed),
      bounds: () => this.#boundsOf(topic, partition),
      startAt: (...place) => this.#options.startAt(...place),
      handler: (batch) => this.#handle(batch),
      confirmed: (signal) => this.#member.confirmed(signal),
      onFatal: (error) => this.#fail(error),
    });
  }

  async #boundsOf(topic: string, partition: number): Promise<PartitionBounds> {
    const bounds = await this.#cluster.boundsOf(topic, partition);
    await this.#identity.verify(topic);
    return bounds;
  }

  #handle(batch: Batch): Promise<void> {
    return this.#inHandler.run(true, async () => this.#options.handler(batch));
  }

  #fail(error: unknown): void {
    if (this.#fatal || this.#stopped !== undefined) return;
    this.#fatal = true;
    // Not awaited: the reader that reports it is one of those that stop waits for.
    void this.stop();
    this.#options.onFatal(error);
  }
}
