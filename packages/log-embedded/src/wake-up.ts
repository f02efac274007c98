import { Client, type QueryResult, type QueryResultRow } from 'pg';

export type ListenSource = string | (() => Client);

const RECONNECT_MS = 250;

/**
 * One connection that listens for appends and holds the group locks, and is made anew when it breaks. Whatever was
 * missed meanwhile is made good by waking everyone on each reconnect.
 */
export class WakeUpConnection {
  readonly #source: ListenSource;
  readonly #channel: string;
  readonly #sleepers = new Map<string, Set<() => void>>();
  readonly #onLost = new Set<() => void>();
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(source: ListenSource, channel: string) {
    this.#source = source;
    this.#channel = channel;
  }

  /** Connects for the first time; throws what the connection throws. */
  async open(): Promise<void> {
    const client =
      typeof this.#source === 'string' ? new Client({ connectionString: this.#source }) : this.#source();
    // A handler before connecting: a connection that breaks must never end the process.
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', (message) => this.#wake(message.payload));
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closed) return void (await client.end());
    this.#client = client;
    for (const place of this.#sleepers.keys()) this.#wake(place);
  }

  /**
   * Runs a statement in the session that holds the group locks, one at a time. Undefined when there is no session or
   * it broke meanwhile: what the statement locked is then not held.
   */
  query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R> | undefined> {
    const run = this.#queue.then(async () => {
      const client = this.#client;
      const result = await client?.query<R>(text, values).catch(() => undefined);
      return this.#client === client ? result : undefined;
    });
    this.#queue = run;
    return run;
  }

  /** Calls `listener` whenever the session, and with it every lock it held, is lost. Answers with its removal. */
  onLost(listener: () => void): () => void {
    this.#onLost.add(listener);
    return () => this.#onLost.delete(listener);
  }

  /** Calls `wake` at each append to the partition. Answers with its removal. */
  listen(topicId: number, partition: number, wake: () => void): () => void {
    const place = `${topicId}/${partition}`;
    const sleepers = this.#sleepers.get(place) ?? new Set();
    this.#sleepers.set(place, sleepers.add(wake));
    return () => sleepers.delete(wake);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #wake(place: string | undefined): void {
    for (const wake of this.#sleepers.get(place ?? '') ?? []) wake();
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    for (const listener of this.#onLost) listener();
    if (!this.#closed) this.#reconnect();
  }

  #reconnect(): void {
    this.#timer = setTimeout(() => {
      this.open().catch(() => {
        if (!this.#closed) this.#reconnect();
      });
    }, RECONNECT_MS);
  }
}
