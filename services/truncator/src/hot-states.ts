import type { ConversationState } from '@palimpsest/strategy';

/**
 * Bytes of rows of `context_views` whose states one process keeps, over all its partitions; beyond it those used
 * longest ago are dropped. In memory a state takes about three times its row.
 */
const HOT_BYTES = 64 * 1024 * 1024;

/** Whose states: one ownership of one partition, from a take-over to the next. */
export interface Ownership {
  partition: number;
  epoch: bigint;
}

interface Held {
  epoch: bigint;
  states: Map<string, { state: ConversationState; bytes: number }>;
  bytes: number;
}

/**
 * Fold states of the conversations of one process, by partition, so that a hot conversation is not read back from
 * Postgres. They hold what is committed or about to be: dropped as a whole when a transaction fails. States of another
 * epoch are never seen: between two ownerships of ours another process may have moved the conversation on.
 */
export class HotStates {
  readonly #partitions = new Map<number, Held>();
  readonly #limit: number;

  constructor(limit: number = HOT_BYTES) {
    this.#limit = limit;
  }

  get({ partition, epoch }: Ownership, key: string): ConversationState | undefined {
    const held = this.#partitions.get(partition);
    if (held === undefined || held.epoch !== epoch) return undefined;
    const found = held.states.get(key);
    if (found === undefined) return undefined;
    held.states.delete(key);
    held.states.set(key, found);
    return found.state;
  }

  /** `bytes`: of its row; undefined = as before. Of an epoch that has passed nothing is kept: it is bound to fail. */
  set({ partition, epoch }: Ownership, key: string, state: ConversationState, bytes?: number): void {
    let held = this.#partitions.get(partition);
    if (held === undefined || held.epoch < epoch) {
      held = { epoch, states: new Map(), bytes: 0 };
      this.#partitions.set(partition, held);
    }
    if (held.epoch !== epoch) return;
    const before = held.states.get(key)?.bytes ?? 0;
    const size = bytes ?? before;
    held.states.delete(key);
    held.states.set(key, { state, bytes: size });
    held.bytes += size - before;
  }

  /** Drops the least recently used above the partition's share. Not during a batch: its states must stay. */
  trim(partition: number): void {
    const held = this.#partitions.get(partition);
    if (held === undefined) return;
    const share = this.#limit / this.#partitions.size;
    for (const [key, { bytes }] of held.states) {
      if (held.bytes <= share) return;
      held.states.delete(key);
      held.bytes -= bytes;
    }
  }

  drop(partition: number): void {
    this.#partitions.delete(partition);
  }
}
