import type {
  Appended,
  EventLog,
  LogRecord,
  NewRecord,
  PartitionBounds,
  SubscribeOptions,
  Subscription,
} from '@palimpsest/log';
import type pg from 'pg';
import { appendRecords } from './append.js';
import { ConsumerGroup, type Member } from './consumer-group.js';
import { assertKept, fetchPage, partitionBounds, topicBounds } from './fetch-page.js';
import { PartitionReader } from './partition-reader.js';
import { checkedSchemaName, ensureSchema } from './schema.js';
import { TopicCatalog } from './topic-catalog.js';
import { Turns } from '@palimpsest/log';
import { type ListenSource, WakeUpConnection } from './wake-up.js';

export interface EmbeddedLogOptions {
  /** For short statements; not ended by `close`. Appends and reads each hold one connection for a moment. */
  pool: pg.Pool;
  /** Connection string, or what makes an unconnected client: one connection is kept for LISTEN and group locks. */
  listen: ListenSource;
  /** Default `palimpsest_log`. */
  schema?: string;
  /** How often a subscriber at the end looks by itself, in case a wake-up got lost. Default 5,000 ms. */
  pollMs?: number;
}

export interface EmbeddedLog extends EventLog {
  /** The consumers' mirrored checkpoints of one group, for lag tools. */
  committed(group: string, topic: string): Promise<{ partition: number; nextOffset: bigint }[]>;
}

const DEFAULT_MAX_RECORDS = 500;
const DEFAULT_MAX_BYTES = 4_000_000;
const DEFAULT_CONCURRENCY = 3;
const DEFAULT_POLL_MS = 5000;

/**
 * The log on Postgres tables, which it creates or brings up to date itself. Within one process a group's partitions
 * are shared among its subscriptions; of several processes with one group, one owns a partition and the others wait.
 */
export async function createEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  const schema = checkedSchemaName(options.schema ?? 'palimpsest_log');
  await ensureSchema(options.pool, schema);
  const connection = new WakeUpConnection(options.listen, schema);
  await connection.open();
  return new PostgresLog(options.pool, schema, connection, options.pollMs ?? DEFAULT_POLL_MS);
}

class PostgresLog implements EmbeddedLog {
  readonly #pool: pg.Pool;
  readonly #schema: string;
  readonly #connection: WakeUpConnection;
  readonly #pollMs: number;
  readonly #topics: TopicCatalog;
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #subscriptions = new Set<Subscription>();

  constructor(pool: pg.Pool, schema: string, connection: WakeUpConnection, pollMs: number) {
    this.#pool = pool;
    this.#schema = schema;
    this.#connection = connection;
    this.#pollMs = pollMs;
    this.#topics = new TopicCatalog(pool, schema);
  }

  createTopic(topic: string, partitions: number): Promise<void> {
    return this.#topics.create(topic, partitions);
  }

  async partitions(topic: string): Promise<number> {
    return (await this.#topics.get(topic)).partitions;
  }

  async topicId(topic: string): Promise<string> {
    return String((await this.#topics.get(topic)).id);
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Appended[]> {
    const entry = await this.#topics.get(topic);
    if (records.length === 0) return [];
    return appendRecords(this.#pool, this.#schema, topic, entry, records);
  }

  async read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    const { id } = await this.#topics.get(topic);
    const place = { topic, topicId: id, partition };
    const records = await fetchPage(this.#pool, this.#schema, place, from, limit, Number.MAX_SAFE_INTEGER);
    if (records.length === 0) await assertKept(this.#pool, this.#schema, place, from);
    return records;
  }

  async bounds(topic: string): Promise<PartitionBounds[]> {
    return topicBounds(this.#pool, this.#schema, (await this.#topics.get(topic)).id);
  }

  async truncate(topic: string, partition: number, before: bigint): Promise<void> {
    const { id } = await this.#topics.get(topic);
    await this.#pool.query(
      `with moved as (
         update ${this.#schema}.partitions
         set low_offset = greatest(low_offset, least($3, next_offset))
         where topic_id = $1 and partition = $2 returning low_offset
       )
       delete from ${this.#schema}.records using moved
       where topic_id = $1 and partition = $2 and "offset" < moved.low_offset`,
      [id, partition, before],
    );
  }

  async committed(group: string, topic: string): Promise<{ partition: number; nextOffset: bigint }[]> {
    const { id } = await this.#topics.get(topic);
    const found = await this.#pool.query<{ partition: number; next_offset: string }>(
      `select partition, next_offset from ${this.#schema}.commits
       where consumer_group = $1 and topic_id = $2 order by partition`,
      [group, id],
    );
    return found.rows.map((row) => ({ partition: row.partition, nextOffset: BigInt(row.next_offset) }));
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    const places = [];
    for (const topic of options.topics) {
      const { id, partitions } = await this.#topics.get(topic);
      for (let partition = 0; partition < partitions; partition++)
        places.push({ topic, topicId: id, partition });
    }
    const group = this.#group(options.group);
    let fatal = false;
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopped ??= this.#leave(options.group, group, member).finally(() =>
        this.#subscriptions.delete(subscription),
      );
      return stopped;
    };
    const member = this.#member(options, places, (error) => {
      if (fatal) return;
      fatal = true;
      // Not awaited: the reader that reports it is one of those that stop waits for.
      void stop();
      options.onFatal(error);
    });
    const subscription: Subscription = {
      stop,
      commit: (topic, partition, nextOffset) => this.#commit(options.group, topic, partition, nextOffset),
    };
    this.#subscriptions.add(subscription);
    await group.join(member);
    return subscription;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.stop()));
    await this.#connection.close();
  }

  #member(options: SubscribeOptions, places: Member['places'], onFatal: (error: unknown) => void): Member {
    const maxRecords = options.maxRecords ?? DEFAULT_MAX_RECORDS;
    const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    const turns = new Turns(options.concurrency ?? DEFAULT_CONCURRENCY);
    return {
      places,
      startReader: (place) =>
        new PartitionReader({
          topic: place.topic,
          partition: place.partition,
          maxRecords,
          maxBytes,
          pollMs: this.#pollMs,
          turns,
          fetch: (from) => fetchPage(this.#pool, this.#schema, place, from, maxRecords, maxBytes),
          bounds: () => partitionBounds(this.#pool, this.#schema, place),
          startAt: (topic, partition) => options.startAt(topic, partition),
          handler: (batch) => options.handler(batch),
          listen: (wake) => this.#connection.listen(place.topicId, place.partition, wake),
          onFatal,
        }),
    };
  }

  #group(name: string): ConsumerGroup {
    const found = this.#groups.get(name);
    if (found !== undefined) return found;
    const made = new ConsumerGroup(`${this.#schema}/${name}`, this.#connection);
    this.#groups.set(name, made);
    return made;
  }

  async #leave(name: string, group: ConsumerGroup, member: Member): Promise<void> {
    await group.leave(member);
    if (!group.isEmpty || this.#groups.get(name) !== group) return;
    group.close();
    this.#groups.delete(name);
  }

  async #commit(group: string, topic: string, partition: number, nextOffset: bigint): Promise<void> {
    const { id } = await this.#topics.get(topic);
    await this.#pool.query({
      name: `${this.#schema}.commit`,
      text: `insert into ${this.#schema}.commits (consumer_group, topic_id, partition, next_offset)
             values ($1, $2, $3, $4)
             on conflict (consumer_group, topic_id, partition)
             do update set next_offset = excluded.next_offset, committed_at = now()`,
      values: [group, id, partition, nextOffset],
    });
  }
}
