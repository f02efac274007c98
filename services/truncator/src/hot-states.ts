import type { ConversationState } from '@palimpsest/strategy';

/** Conversations kept in memory per partition; beyond it the one used longest ago is dropped. */
const HOT_CONVERSATIONS = 2000;

/**
 * Fold states of the conversations of one process, by partition, so that a hot conversation is not read back from
 * Postgres. They hold what is committed or about to be: dropped as a whole when a transaction fails or the owner of
 * the partition changes.
 */
export class HotStates {
  readonly #partitions = new Map<number, Map<string, ConversationState>>();

  get(partition: number, key: string): ConversationState | undefined {
    const states = this.#partitions.get(partition);
    const state = states?.get(key);
    if (states !== undefined && state !== undefined) {
      states.delete(key);
      states.set(key, state);
    }
    return state;
  }

  set(partition: number, key: string, state: ConversationState): void {
    let states = this.#partitions.get(partition);
    if (states === undefined) {
      states = new Map();
      this.#partitions.set(partition, states);
    }
    states.set(key, state);
  }

  /** Drops the least recently used above the limit. Not during a batch: its states must stay. */
  trim(partition: number): void {
    const states = this.#partitions.get(partition);
    if (states === undefined) return;
    for (const key of states.keys()) {
      if (states.size <= HOT_CONVERSATIONS) return;
      states.delete(key);
    }
  }

  drop(partition: number): void {
    this.#partitions.delete(partition);
  }
}
