import { createRequire } from 'node:module';
import type { RawBytePairRanks } from 'gpt-tokenizer/BytePairEncodingCore';

/** The byte pair encodings whose vocabulary this package carries. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** No token has these bytes. Greater than every rank, so a minimum never picks it. */
export const NO_RANK = 0x7fffffff;

/**
 * Token bytes -> rank, as an open-addressing hash over one byte pool: no string is made per look-up, and 200,000 tokens
 * cost about 6 MB instead of a map of 200,000 strings.
 */
export class Vocabulary {
  private readonly pool: Uint8Array;
  private readonly starts: Uint32Array;
  /** Two numbers a slot: the hash, which rejects nearly all others without a look at their bytes, and rank + 1. */
  private readonly slots: Int32Array;
  private readonly mask: number;
  /** Ranks of all pairs of bytes: half of all look-ups of a merge, without a hash. */
  private readonly pairs = new Int32Array(0x10000).fill(NO_RANK);
  /** Length in bytes of the longest token. */
  readonly longest: number;

  constructor(ranks: RawBytePairRanks) {
    const encoder = new TextEncoder();
    // UTF-8 takes at most 3 bytes per UTF-16 unit.
    let bound = 0;
    for (const token of ranks) bound += token === undefined ? 0 : token.length * 3;
    const pool = new Uint8Array(bound);
    this.starts = new Uint32Array(ranks.length + 1);
    this.mask = 2 ** Math.ceil(Math.log2(ranks.length * 2)) - 1;
    this.slots = new Int32Array(2 * (this.mask + 1));
    let used = 0;
    let longest = 0;
    for (let rank = 0; rank < ranks.length; rank++) {
      const token = ranks[rank];
      const start = used;
      this.starts[rank] = start;
      if (token === undefined) continue;
      if (typeof token === 'string') used += encoder.encodeInto(token, pool.subarray(used)).written;
      else {
        pool.set(token, used);
        used += token.length;
      }
      longest = Math.max(longest, used - start);
      this.enter(hashOf(pool, start, used), rank);
      if (used - start === 2) this.pairs[((pool[start] as number) << 8) | (pool[start + 1] as number)] = rank;
    }
    this.starts[ranks.length] = used;
    this.pool = pool.slice(0, used);
    this.longest = longest;
  }

  /** Rank of the token that is the two bytes at `at`, or NO_RANK. */
  rankOfPair(bytes: Uint8Array, at: number): number {
    return this.pairs[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number;
  }

  /** Rank of the token with exactly the bytes [from, to), or NO_RANK. */
  rankOf(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length > this.longest) return NO_RANK;
    const { pool, starts, slots, mask } = this;
    const hash = hashOf(bytes, from, to);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const rank = (slots[2 * slot + 1] as number) - 1;
      if (rank < 0) return NO_RANK;
      if (slots[2 * slot] !== hash) continue;
      const start = starts[rank] as number;
      if ((starts[rank + 1] as number) - start !== length) continue;
      let i = 0;
      while (i < length && pool[start + i] === bytes[from + i]) i++;
      if (i === length) return rank;
    }
  }

  private enter(hash: number, rank: number): void {
    let slot = hash & this.mask;
    while (this.slots[2 * slot + 1] !== 0) slot = (slot + 1) & this.mask;
    this.slots[2 * slot] = hash;
    this.slots[2 * slot + 1] = rank + 1;
  }
}

/** FNV-1a with a final mix, since the table is indexed by the low bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

// A synchronous load on first use: a process that counts in one encoding never parses the other's 1 to 2 MB.
const load = createRequire(import.meta.url);
const loaded = new Map<Encoding, Vocabulary>();

/** The vocabulary of an encoding, from gpt-tokenizer's rank tables. The first call takes about 0.2 s. */
export function vocabulary(encoding: Encoding): Vocabulary {
  let found = loaded.get(encoding);
  if (found === undefined) {
    const ranks =
      encoding === 'o200k_base'
        ? (load('gpt-tokenizer/bpeRanks/o200k_base') as { default: RawBytePairRanks })
        : (load('gpt-tokenizer/bpeRanks/cl100k_base') as { default: RawBytePairRanks });
    found = new Vocabulary(ranks.default);
    loaded.set(encoding, found);
  }
  return found;
}
