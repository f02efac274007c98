import type { PartitionBounds } from '@palimpsest/log';
import type { Cluster, Kafka } from 'kafkajs';
import { type FetchedPage, type FetchedPartition, committedRecords } from './committed-records.js';
import { clusterOf } from './connect-kafka.js';
import { topicId } from './topic-id.js';
import { errorType, isPermanent, isStaleMetadata, MissingTopicError } from './kafka-error.js';

export interface FetchRequest {
  topic: string;
  partition: number;
  from: bigint;
  /** A broker answers with at least one batch, whatever its size. */
  maxBytes: number;
}

export interface PartitionPage extends FetchedPage {
  topic: string;
  partition: number;
  from: bigint;
}

const READ_COMMITTED = 1;
const MAX_RESPONSE_BYTES = 16_000_000;
const PATIENCE_MS = [50, 100, 200, 400, 800, 1600];
// A broker that has just started may not know a topic yet; one that was never created should be told of soon.
const MISSING_TOPIC_TRIES = 3;

/** What reads need of a cluster: leaders, bounds, fetches. Its connection is made anew whenever it breaks. */
export class ClusterView {
  readonly #kafka: Kafka;
  #cluster: Promise<Cluster> | undefined;
  #closed = false;

  constructor(kafka: Kafka) {
    this.#kafka = kafka;
  }

  /** Throws MissingTopicError for a topic the cluster does not have. */
  async partitions(topic: string): Promise<number> {
    return this.#retrying(topic, async (cluster) => {
      await learn(cluster, topic);
      const { length } = cluster.findTopicPartitionMetadata(topic);
      if (length === 0) throw new MissingTopicError(topic);
      return length;
    });
  }

  /** The node that leads the partition, as far as is known by now. */
  async leader(topic: string, partition: number): Promise<string> {
    return this.#retrying(topic, async (cluster) => {
      await learn(cluster, topic);
      return leaderIn(cluster, topic, partition);
    });
  }

  async bounds(topic: string): Promise<PartitionBounds[]> {
    return this.#retrying(topic, async (cluster) => {
      await learn(cluster, topic);
      const partitions = cluster
        .findTopicPartitionMetadata(topic)
        .map(({ partitionId }) => ({ partition: partitionId }));
      if (partitions.length === 0) throw new MissingTopicError(topic);
      const [low] = await cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning: true }]);
      const [high] = await cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning: false }]);
      const highs = new Map(high?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      return (low?.partitions ?? [])
        .map(({ partition, offset }) => ({
          partition,
          low: BigInt(offset),
          high: highs.get(partition) ?? BigInt(offset),
        }))
        .toSorted((a, b) => a.partition - b.partition);
    });
  }

  /** See `topicId`; asked of the cluster each time. */
  async topicId(topic: string): Promise<string | undefined> {
    return this.#retrying(topic, (cluster) => topicId(cluster, topic));
  }

  async boundsOf(topic: string, partition: number): Promise<PartitionBounds> {
    const found = (await this.bounds(topic)).find((bounds) => bounds.partition === partition);
    if (found === undefined) throw new Error(`Topic ${topic} has no partition ${partition}.`);
    return found;
  }

  /**
   * One request to one node; it answers when there is something, or empty after `waitMs`. Not retried: throws what
   * kafkajs throws, for one partition's error nothing of the others is given.
   */
  async fetch(node: string, requests: readonly FetchRequest[], waitMs: number): Promise<PartitionPage[]> {
    const cluster = await this.#connected();
    const broker = await cluster.findBroker({ nodeId: node });
    const byTopic = new Map<string, FetchRequest[]>();
    for (const request of requests) {
      byTopic.set(request.topic, [...(byTopic.get(request.topic) ?? []), request]);
    }
    const { responses } = (await broker.fetch({
      isolationLevel: READ_COMMITTED,
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: MAX_RESPONSE_BYTES,
      topics: [...byTopic].map(([topic, partitions]) => ({
        topic,
        partitions: partitions.map(({ partition, from, maxBytes }) => ({
          partition,
          fetchOffset: from.toString(),
          maxBytes,
        })),
      })),
    })) as { responses: { topicName: string; partitions: FetchedPartition[] }[] };
    return responses.flatMap(({ topicName, partitions }) =>
      partitions.flatMap((fetched) => {
        const request = byTopic.get(topicName)?.find(({ partition }) => partition === fetched.partition);
        if (request === undefined) return [];
        const { partition, from } = request;
        return [{ topic: topicName, partition, from, ...committedRecords(topicName, from, fetched) }];
      }),
    );
  }

  /** Brings the picture of the cluster up to date after `error`, by a new connection where the old one is of no use. */
  async recover(error: unknown): Promise<void> {
    if (isStaleMetadata(error)) {
      try {
        await (await this.#connected()).refreshMetadata();
        return;
      } catch {
        // One missing topic fails the refresh for all others: start from nothing.
      }
    }
    this.#drop();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const cluster = await this.#cluster?.catch(() => undefined);
    this.#cluster = undefined;
    await cluster?.disconnect();
  }

  async #retrying<T>(topic: string, work: (cluster: Cluster) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work(await this.#connected());
      } catch (error) {
        const missing =
          error instanceof MissingTopicError || errorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
        if (missing && tries >= MISSING_TOPIC_TRIES) throw new MissingTopicError(topic, { cause: error });
        const wait = PATIENCE_MS[tries - 1];
        if (wait === undefined || this.#closed || isPermanent(error)) throw failure(topic, error);
        await new Promise((resolve) => setTimeout(resolve, wait));
        await this.recover(error);
      }
    }
  }

  #connected(): Promise<Cluster> {
    if (this.#closed) return Promise.reject(new Error('The connection to Kafka was closed.'));
    if (this.#cluster !== undefined) return this.#cluster;
    const cluster = clusterOf(this.#kafka);
    const connecting = cluster.connect().then(
      () => cluster,
      (error: unknown) => {
        if (this.#cluster === connecting) this.#cluster = undefined;
        throw error;
      },
    );
    this.#cluster = connecting;
    return connecting;
  }

  #drop(): void {
    const dropped = this.#cluster;
    this.#cluster = undefined;
    dropped?.then((cluster) => cluster.disconnect()).catch(() => undefined);
  }
}

async function learn(cluster: Cluster, topic: string): Promise<void> {
  await cluster.addTargetTopic(topic);
  await cluster.refreshMetadataIfNecessary();
}

function leaderIn(cluster: Cluster, topic: string, partition: number): string {
  const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (leader === undefined) throw new MissingTopicError(topic);
  return leader;
}

function failure(topic: string, error: unknown): Error {
  if (error instanceof MissingTopicError) return error;
  return new Error(
    `Kafka did not answer about topic ${topic} (${errorType(error)}): check that its brokers are up and reachable.`,
    { cause: error },
  );
}
