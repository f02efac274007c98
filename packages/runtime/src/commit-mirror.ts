/**
 * Mirrors checkpoints into the log without holding up the consumer: one commit of a partition at a time, the newest
 * one next, those in between left out. Errors are reported and forgotten: the mirror is for lag tools only.
 */
export class CommitMirror {
  readonly #commit: (topic: string, partition: number, nextOffset: bigint) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #newest = new Map<string, bigint>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    commit: (topic: string, partition: number, nextOffset: bigint) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#commit = commit;
    this.#onError = onError;
  }

  note(topic: string, partition: number, nextOffset: bigint): void {
    const key = `${topic}/${partition}`;
    this.#newest.set(key, nextOffset);
    if (this.#running.has(key)) return;
    this.#running.set(
      key,
      this.#run(key, topic, partition).finally(() => this.#running.delete(key)),
    );
  }

  /** Resolves when nothing is left to mirror. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #run(key: string, topic: string, partition: number): Promise<void> {
    for (let next = this.#newest.get(key); next !== undefined; next = this.#newest.get(key)) {
      this.#newest.delete(key);
      await this.#commit(topic, partition, next).catch(this.#onError);
    }
  }
}
