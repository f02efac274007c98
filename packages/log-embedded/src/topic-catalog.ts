import type pg from 'pg';

export interface TopicEntry {
  id: number;
  partitions: number;
}

/** Ids and partition counts by topic name. Neither ever changes, so what was found once is kept. */
export class TopicCatalog {
  readonly #pool: pg.Pool;
  readonly #schema: string;
  readonly #known = new Map<string, TopicEntry>();

  constructor(pool: pg.Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  async create(topic: string, partitions: number): Promise<void> {
    if (!Number.isInteger(partitions) || partitions < 1) {
      throw new Error(`Topic ${topic} cannot have ${partitions} partitions: it needs at least one.`);
    }
    // One statement: a topic is never seen without its partitions.
    await this.#pool.query(
      `with made as (
         insert into ${this.#schema}.topics (topic, partitions) values ($1, $2)
         on conflict (topic) do nothing returning topic_id
       )
       insert into ${this.#schema}.partitions (topic_id, partition)
       select topic_id, n from made, generate_series(0, $2 - 1) as n`,
      [topic, partitions],
    );
  }

  /** Throws when the topic was never created. */
  async get(topic: string): Promise<TopicEntry> {
    const known = this.#known.get(topic);
    if (known !== undefined) return known;
    const found = await this.#pool.query<TopicEntry>(
      `select topic_id as id, partitions from ${this.#schema}.topics where topic = $1`,
      [topic],
    );
    const entry = found.rows[0];
    if (entry === undefined)
      throw new Error(`There is no topic "${topic}" in the log: create it with createTopic.`);
    this.#known.set(topic, entry);
    return entry;
  }
}
