import type { ConversationState } from '@palimpsest/strategy';

/** Conversations kept in memory per partition; beyond it the one used longest ago is dropped. */
const HOT_CONVERSATIONS = 2000;

/** Whose states: one ownership of one partition, from a take-over to the next. */
export interface Ownership {
  partition: number;
  epoch: bigint;
}

interface Held {
  epoch: bigint;
  states: Map<string, ConversationState>;
}

/**
 * Fold states of the conversations of one process, by partition, so that a hot conversation is not read back from
 * Postgres. They hold what is committed or about to be: dropped as a whole when a transaction fails. States of another
 * epoch are never seen: between two ownerships of ours another process may have moved the conversation on.
 */
export class HotStates {
  readonly #partitions = new Map<number, Held>();

  get({ partition, epoch }: Ownership, key: string): ConversationState | undefined {
    const held = this.#partitions.get(partition);
    if (held === undefined || held.epoch !== epoch) return undefined;
    const state = held.states.get(key);
    if (state === undefined) return undefined;
    held.states.delete(key);
    held.states.set(key, state);
    return state;
  }

  /** Of an epoch that has passed nothing is kept: its transaction is bound to fail. */
  set({ partition, epoch }: Ownership, key: string, state: ConversationState): void {
    let held = this.#partitions.get(partition);
    if (held === undefined || held.epoch < epoch) {
      held = { epoch, states: new Map() };
      this.#partitions.set(partition, held);
    }
    if (held.epoch === epoch) held.states.set(key, state);
  }

  /** Drops the least recently used above the limit. Not during a batch: its states must stay. */
  trim(partition: number): void {
    const states = this.#partitions.get(partition)?.states;
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
