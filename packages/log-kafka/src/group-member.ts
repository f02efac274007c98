import type { Consumer, Kafka } from 'kafkajs';
import { isPermanent } from './kafka-error.js';

export interface GroupMemberOptions {
  group: string;
  topics: readonly string[];
  /** The group takes our partitions away when it has not heard of us for so long. */
  sessionTimeoutMs: number;
  /** How often we tell the group that we live, and hear whether it shares out anew. */
  heartbeatMs: number;
  /** The partitions that are ours from now on, in place of all earlier ones. */
  onAssigned(assignment: { topic: string; partition: number }[]): void;
  /** No partition is ours any more, until `onAssigned` says so. */
  onRevoked(): void;
  /** The group cannot be joined, whatever we do. */
  onFailed(error: unknown): void;
}

// kafkajs's loop turns once per wait when everything is paused; stopping waits for the turn to end.
const LOOP_MS = 200;
const REJOIN_MS = 1000;
// Within the loop only: a crash makes kafkajs start anew, from the coordinator's address on.
const RETRY = { initialRetryTime: 100, multiplier: 2, maxRetryTime: 1000, retries: 4 };

/**
 * A member of a consumer group, and nothing more: a kafkajs consumer whose partitions are all paused, so that it
 * joins, beats and mirrors offsets but never fetches. What is assigned is for others to read.
 */
export class GroupMember {
  readonly #kafka: Kafka;
  readonly #options: GroupMemberOptions;
  #consumer: Consumer | undefined;
  #rejoin: NodeJS.Timeout | undefined;
  #left = false;
  #confirmedAt = 0;
  readonly #unconfirmed = new Set<() => void>();

  constructor(kafka: Kafka, options: GroupMemberOptions) {
    this.#kafka = kafka;
    this.#options = options;
  }

  /** Resolves when the group has taken us in for the first time, or when it is known that it takes longer. */
  async join(): Promise<void> {
    const { group, topics, sessionTimeoutMs, heartbeatMs } = this.#options;
    const consumer = this.#kafka.consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(sessionTimeoutMs, 10_000),
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: Math.min(LOOP_MS, heartbeatMs),
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    this.#consumer = consumer;
    this.#listen(consumer);
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics] });
    // Offsets are kept elsewhere and mirrored by `commit`; there is nothing to hand to a handler.
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => undefined });
  }

  async leave(): Promise<void> {
    this.#left = true;
    clearTimeout(this.#rejoin);
    this.#wake();
    await this.#consumer?.disconnect();
  }

  /**
   * Resolves while the group is known to count on us: when no heartbeat was answered for a whole session, another
   * member may own our partitions, and we wait for the next answer or until `signal` is aborted.
   */
  async confirmed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#left && !this.#isConfirmed()) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          this.#unconfirmed.delete(end);
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#unconfirmed.add(end);
        signal.addEventListener('abort', end, { once: true });
      });
    }
  }

  async commit(offsets: { topic: string; partition: number; offset: string }[]): Promise<void> {
    await this.#consumer?.commitOffsets(offsets);
  }

  #isConfirmed(): boolean {
    return performance.now() - this.#confirmedAt < this.#options.sessionTimeoutMs;
  }

  #listen(consumer: Consumer): void {
    const { GROUP_JOIN, HEARTBEAT, REBALANCING, CRASH } = consumer.events;
    consumer.on(HEARTBEAT, () => this.#confirm());
    consumer.on(REBALANCING, () => this.#options.onRevoked());
    consumer.on(GROUP_JOIN, ({ payload }) => {
      // The event is emitted before the first fetch of each generation, so none ever happens.
      consumer.pause(this.#options.topics.map((topic) => ({ topic })));
      this.#confirm();
      this.#options.onAssigned(
        Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
          partitions.map((partition) => ({ topic, partition })),
        ),
      );
    });
    consumer.on(CRASH, ({ payload }) => this.#crashed(payload.error, payload.restart));
  }

  #crashed(error: Error, restarts: boolean): void {
    if (this.#left) return;
    this.#options.onRevoked();
    if (isPermanent(error)) return this.#options.onFailed(error);
    if (!restarts) this.#joinLater();
  }

  #joinLater(): void {
    this.#rejoin = setTimeout(() => {
      if (this.#left) return;
      this.join().catch((error: unknown) => this.#crashed(error as Error, false));
    }, REJOIN_MS);
  }

  #confirm(): void {
    this.#confirmedAt = performance.now();
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#unconfirmed) wake();
  }
}
