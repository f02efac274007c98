import {
  type Appended,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type PartitionBounds,
  partitionOf,
  type SubscribeOptions,
  type Subscription,
} from '@palimpsest/log';
import type { Kafka } from 'kafkajs';
import { Appender } from './appender.js';
import { ClusterView } from './cluster-view.js';
import { connectKafka, type KafkaConnection } from './connect-kafka.js';
import { errorType, MissingTopicError } from './kafka-error.js';
import { KafkaSubscription, type SubscriptionSettings } from './kafka-subscription.js';
import { readPartition } from './read-partition.js';
import { watchCertificates } from './watch-certificates.js';

export interface KafkaLogOptions extends KafkaConnection, Partial<SubscriptionSettings> {
  /** Copies of each partition of topics made by `createTopic`. Default: the cluster's own. */
  replicationFactor?: number;
  /** Largest batch of topics made by `createTopic`, so also their largest record. Default 16 MiB. */
  maxMessageBytes?: number;
}

const DEFAULT_SETTINGS: SubscriptionSettings = {
  sessionTimeoutMs: 10_000,
  heartbeatMs: 500,
  missingTopicMs: 15_000,
};
const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const CLUSTER_DEFAULT = -1;
const CREATED_WITHIN_MS = 15_000;

/**
 * The log on Apache Kafka. Resolves when the cluster has answered; rejects when it does not within about a minute, or
 * at once when it refuses the credentials or shows a certificate that is not trusted.
 */
export async function createKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const { socketFactory, untrusted } = watchCertificates(options.brokers);
  const log = new KafkaLog(connectKafka(options, socketFactory), options);
  try {
    await Promise.race([log.connect(), untrusted]);
  } catch (error) {
    // Not awaited: it may try on for a while.
    void log.close().catch(() => undefined);
    throw new Error(
      `Kafka at ${options.brokers.join(', ')} cannot be used (${reasonOf(error)}): check the addresses, that the ` +
        `brokers are up, and the TLS and SASL settings.`,
      { cause: error },
    );
  }
  return log;
}

/** Of sockets and certificates what Node says: kafkajs has no names for that. Its own codes are numbers. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' ? `${code}: ${message}` : errorType(error);
}

class KafkaLog implements EventLog {
  readonly #kafka: Kafka;
  readonly #options: KafkaLogOptions;
  readonly #cluster: ClusterView;
  readonly #appenders = new Map<string, Appender>();
  readonly #partitions = new Map<string, number>();
  readonly #subscriptions = new Set<Subscription>();

  constructor(kafka: Kafka, options: KafkaLogOptions) {
    this.#kafka = kafka;
    this.#options = options;
    this.#cluster = new ClusterView(kafka);
  }

  async connect(): Promise<void> {
    await this.#withAdmin(async (admin) => admin.describeCluster());
  }

  async createTopic(topic: string, partitions: number): Promise<void> {
    if (!Number.isInteger(partitions) || partitions < 1) {
      throw new Error(`Topic ${topic} cannot have ${partitions} partitions: it needs at least one.`);
    }
    await this.#withAdmin(async (admin) =>
      admin.createTopics({
        // kafkajs's own wait fails where a broker has not heard of the topic yet.
        waitForLeaders: false,
        topics: [
          {
            topic,
            numPartitions: partitions,
            replicationFactor: this.#options.replicationFactor ?? CLUSTER_DEFAULT,
            configEntries: [
              // Compaction would keep the last event of a conversation only.
              { name: 'cleanup.policy', value: 'delete' },
              {
                name: 'max.message.bytes',
                value: String(this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES),
              },
            ],
          },
        ],
      }),
    );
    await this.#untilKnown(topic);
  }

  /** Asked once per topic: its keys would move to other partitions if the number grew. */
  async partitions(topic: string): Promise<number> {
    const known = this.#partitions.get(topic);
    if (known !== undefined) return known;
    const found = await this.#cluster.partitions(topic);
    this.#partitions.set(topic, found);
    return found;
  }

  /** Null before Kafka 2.8, which gives topics no ids. */
  async topicId(topic: string): Promise<string | null> {
    return (await this.#cluster.topicId(topic)) ?? null;
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Appended[]> {
    const partitions = await this.partitions(topic);
    if (records.length === 0) return [];
    let appender = this.#appenders.get(topic);
    if (appender === undefined) {
      appender = new Appender(this.#kafka, topic);
      this.#appenders.set(topic, appender);
    }
    return appender.append(
      records.map((record) => ({ ...record, partition: partitionOf(record.key, partitions) })),
    );
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    // A missing topic is told of here, where the caller can see it.
    for (const topic of options.topics) await this.partitions(topic);
    const settings = { ...DEFAULT_SETTINGS, ...defined(this.#options) };
    const subscription = new KafkaSubscription(this.#kafka, this.#cluster, options, settings);
    this.#subscriptions.add(subscription);
    await subscription.start();
    return subscription;
  }

  read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    return readPartition(this.#cluster, topic, partition, from, limit);
  }

  bounds(topic: string): Promise<PartitionBounds[]> {
    return this.#cluster.bounds(topic);
  }

  async truncate(topic: string, partition: number, before: bigint): Promise<void> {
    const { low, high } = await this.#cluster.boundsOf(topic, partition);
    if (before <= low) return;
    const offset = (before < high ? before : high).toString();
    await this.#withAdmin(async (admin) => {
      // Without this the admin does not know the topic's leaders.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset }] });
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.stop()));
    await Promise.all([
      ...[...this.#appenders.values()].map((appender) => appender.close()),
      this.#cluster.close(),
    ]);
  }

  /** Brokers hear of a new topic one after the other. */
  async #untilKnown(topic: string): Promise<void> {
    for (const deadline = performance.now() + CREATED_WITHIN_MS; ; ) {
      try {
        await this.#cluster.partitions(topic);
        return;
      } catch (error) {
        if (!(error instanceof MissingTopicError) || performance.now() > deadline) throw error;
      }
    }
  }

  /** Administration is rare: a connection for each piece of it, so that none is ever stale. */
  async #withAdmin<T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      return await work(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }
}

function defined(options: KafkaLogOptions): Partial<SubscriptionSettings> {
  const { sessionTimeoutMs, heartbeatMs, missingTopicMs } = options;
  return Object.fromEntries(
    Object.entries({ sessionTimeoutMs, heartbeatMs, missingTopicMs }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
