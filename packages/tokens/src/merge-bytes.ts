import { NO_RANK, type Vocabulary } from './vocabulary.js';

/** Most bytes that one merge takes. A heap entry holds rank (18 bits) and position (13 bits) in one number. */
export const MERGE_LIMIT = 4096;
const POSITION_BITS = 13;
const POSITION_MASK = 2 ** POSITION_BITS - 1;
/** Up to here a plain scan for the lowest rank is faster than a heap. */
const SCAN_LIMIT = 48;

/** Entries of the pair cache; a power of two. 200 kB, so that it stays in the processor's cache. */
const CACHE_BITS = 14;

/**
 * Byte pair merging over at most MERGE_LIMIT bytes: exact, O(n log n). Holds its scratch space, so one instance is used
 * by one caller at a time (everything here is synchronous).
 */
export class ByteMerger {
  // Per part: the token it is, where the next and the one before start, and the rank of what it makes with the next.
  // The short path keeps the parts side by side (`starts`), the long one as a linked list indexed by first byte.
  private readonly tokens = new Int32Array(MERGE_LIMIT + 2);
  private readonly next = new Int32Array(MERGE_LIMIT + 2);
  private readonly previous = new Int32Array(MERGE_LIMIT + 2);
  private readonly ranks = new Int32Array(MERGE_LIMIT + 2);
  private readonly starts = new Int32Array(SCAN_LIMIT + 2);
  // A pair enters once at the start, and twice per merge.
  private readonly heap = new Uint32Array(3 * MERGE_LIMIT + 4);
  private heapSize = 0;
  // Left token + 1, right token, rank of the two joined: the same pairs are asked for over and over.
  private readonly cache = new Int32Array(3 * 2 ** CACHE_BITS);
  private readonly byteTokens: Int32Array;

  constructor(private readonly vocabulary: Vocabulary) {
    this.byteTokens = Int32Array.from({ length: 256 }, (_, byte) =>
      vocabulary.rankOf(Uint8Array.of(byte), 0, 1),
    );
  }

  /** Merges bytes [from, to) and returns the number of tokens. */
  count(bytes: Uint8Array, from: number, to: number): number {
    return to - from <= SCAN_LIMIT ? this.scan(bytes, from, to - from) : this.merge(bytes, from, to);
  }

  /** Merges bytes [from, to) and returns the number of tokens; `tokenEnd` then walks them. */
  merge(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length > MERGE_LIMIT)
      throw new RangeError(`cannot merge ${length} bytes at once: cut them to ${MERGE_LIMIT} or fewer`);
    const { tokens, next, previous, ranks } = this;
    for (let i = 0; i < length; i++) {
      tokens[i] = this.byteTokens[bytes[from + i] as number] as number;
      next[i] = i + 1;
      previous[i] = i - 1;
      ranks[i] = i + 1 < length ? this.vocabulary.rankOfPair(bytes, from + i) : NO_RANK;
    }
    this.heapSize = 0;
    for (let i = 0; i < length; i++) this.push(i);
    let count = length;
    while (this.heapSize > 0) {
      const entry = this.pop();
      const at = entry & POSITION_MASK;
      // An entry is stale when its pair has changed since; the same rank at the same place is the same pair of bytes.
      if (ranks[at] !== entry >>> POSITION_BITS) continue;
      this.join(bytes, from, length, at);
      count--;
      this.push(at);
      if (at > 0) this.push(previous[at] as number);
    }
    return count;
  }

  /** End of the token that starts `start` bytes into what `merge` took last. */
  tokenEnd(start: number): number {
    return this.next[start] as number;
  }

  /** The same for few bytes, by looking for the lowest rank each time. */
  private scan(bytes: Uint8Array, from: number, length: number): number {
    const { tokens, ranks, starts } = this;
    for (let i = 0; i < length; i++) {
      tokens[i] = this.byteTokens[bytes[from + i] as number] as number;
      starts[i] = from + i;
      ranks[i] = i + 1 < length ? this.vocabulary.rankOfPair(bytes, from + i) : NO_RANK;
    }
    starts[length] = from + length;
    let count = length;
    for (;;) {
      let lowest = NO_RANK;
      let at = 0;
      for (let i = 0; i < count - 1; i++) {
        if ((ranks[i] as number) < lowest) {
          lowest = ranks[i] as number;
          at = i;
        }
      }
      if (lowest === NO_RANK) return count;
      tokens[at] = lowest;
      count--;
      for (let i = at + 1; i < count; i++) {
        tokens[i] = tokens[i + 1] as number;
        ranks[i] = ranks[i + 1] as number;
        starts[i] = starts[i + 1] as number;
      }
      starts[count] = from + length;
      if (at > 0)
        ranks[at - 1] = this.joined(
          bytes,
          starts[at - 1] as number,
          starts[at + 1] as number,
          tokens[at - 1] as number,
          lowest,
        );
      ranks[at] =
        at + 1 < count
          ? this.joined(
              bytes,
              starts[at] as number,
              starts[at + 2] as number,
              lowest,
              tokens[at + 1] as number,
            )
          : NO_RANK;
    }
  }

  /** Makes one token of the pair that starts at `at`, and finds the ranks of the two pairs that this changes. */
  private join(bytes: Uint8Array, from: number, length: number, at: number): void {
    const { tokens, next, previous, ranks } = this;
    const token = ranks[at] as number;
    const gone = next[at] as number;
    const end = next[gone] as number;
    tokens[at] = token;
    next[at] = end;
    ranks[gone] = NO_RANK;
    ranks[at] = NO_RANK;
    if (end < length) {
      previous[end] = at;
      ranks[at] = this.joined(bytes, from + at, from + (next[end] as number), token, tokens[end] as number);
    }
    const before = previous[at] as number;
    if (before >= 0)
      ranks[before] = this.joined(bytes, from + before, from + end, tokens[before] as number, token);
  }

  /** Rank of the two neighbouring tokens joined, whose bytes are [from, to), or NO_RANK. */
  private joined(bytes: Uint8Array, from: number, to: number, left: number, right: number): number {
    const { cache } = this;
    const slot = 3 * ((Math.imul(left, 0x9e3779b1) + Math.imul(right, 0x85ebca6b)) >>> (32 - CACHE_BITS));
    if (cache[slot] === left + 1 && cache[slot + 1] === right) return cache[slot + 2] as number;
    const rank = this.vocabulary.rankOf(bytes, from, to);
    cache[slot] = left + 1;
    cache[slot + 1] = right;
    cache[slot + 2] = rank;
    return rank;
  }

  private push(at: number): void {
    const rank = this.ranks[at] as number;
    if (rank === NO_RANK) return;
    const { heap } = this;
    const entry = ((rank << POSITION_BITS) | at) >>> 0;
    let child = this.heapSize++;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if ((heap[parent] as number) <= entry) break;
      heap[child] = heap[parent] as number;
      child = parent;
    }
    heap[child] = entry;
  }

  private pop(): number {
    const { heap } = this;
    const top = heap[0] as number;
    const last = heap[--this.heapSize] as number;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= this.heapSize) break;
      if (child + 1 < this.heapSize && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if ((heap[child] as number) >= last) break;
      heap[parent] = heap[child] as number;
      parent = child;
    }
    heap[parent] = last;
    return top;
  }
}
