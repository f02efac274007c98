import type { Item } from './decode-batch.js';

/** Keys remembered at most; more failing at once is no matter of keys any more. */
const MOST_KEYS = 10_000;

/**
 * The budget of each key: how many of its records in a row may cost all attempts. A key that has used it up is poison
 * until one of its records is handled, or the partition changes its owner.
 */
export class PoisonKeys {
  readonly #budget: number;
  readonly #failed = new Map<string, number>();

  constructor(budget: number) {
    this.#budget = budget;
  }

  has(key: string | null): boolean {
    return key !== null && (this.#failed.get(key) ?? 0) >= this.#budget;
  }

  /** One of its records has used up its attempts. */
  blame(key: string | null): void {
    if (key === null) return;
    if (this.#failed.size >= MOST_KEYS && !this.#failed.has(key)) this.#failed.clear();
    this.#failed.set(key, (this.#failed.get(key) ?? 0) + 1);
  }

  /** These were handled. */
  absolve(items: readonly Item[]): void {
    if (this.#failed.size === 0) return;
    for (const { kind, record } of items) if (kind === 'event') this.#failed.delete(record.key ?? '');
  }

  isIn(items: readonly Item[]): boolean {
    return this.#failed.size > 0 && items.some((item) => this.isEventOf(item));
  }

  isEventOf({ kind, record }: Item): boolean {
    return kind === 'event' && this.has(record.key);
  }

  /** The same items in order, each event of a poison key alone: it costs the others no attempt. */
  apart(items: readonly Item[]): Item[][] {
    const parts: Item[][] = [];
    let open = false;
    for (const item of items) {
      const alone = this.isEventOf(item);
      if (alone || !open) parts.push([item]);
      else parts.at(-1)?.push(item);
      open = !alone;
    }
    return parts;
  }
}
