/** Longest piece that is remembered, in UTF-16 units. Longer ones hardly ever come again. */
export const MEMO_UNITS = 64;
const GENERATION_ENTRIES = 32_768;
const GENERATION_UNITS = 512 * 1024;
/** Twice the entries, so that a look-up hardly ever meets another piece. A power of two. */
const SLOTS = GENERATION_ENTRIES * 2;

/**
 * Piece -> token count. Pieces repeat heavily in chat: most look-ups end here. Pieces are named by where they stand in
 * their text and compared unit by unit, so a look-up makes no string: half the time of a Map, and no garbage. Two
 * generations stand in for an exact least-recently-used order: when the young one is full it becomes the old one, and
 * what is asked for again moves back. At most 65,536 entries and 1 M units, 3 MB in all.
 */
export class PieceMemo {
  private young = new Generation();
  private old = new Generation();
  private hash = 0;

  /** The count of the piece text[from, to), at most MEMO_UNITS long; -1 where it is not remembered. */
  get(text: string, from: number, to: number): number {
    return this.find(hashOf(text, from, to), text, from, to);
  }

  /** Likewise, for a caller that knows the hash: `hashWith` over the units, from HASH_SEED. */
  find(hash: number, text: string, from: number, to: number): number {
    this.hash = hash;
    const found = this.young.find(hash, text, from, to);
    if (found >= 0) return found;
    const older = this.old.find(hash, text, from, to);
    if (older >= 0) this.add(hash, text, from, to, older);
    return older;
  }

  /** Remembers the piece that `get` was last asked for in vain. */
  set(text: string, from: number, to: number, count: number): void {
    this.add(this.hash, text, from, to, count);
  }

  /** Entries held, for tests and metrics. */
  get size(): number {
    return this.young.entries + this.old.entries;
  }

  private add(hash: number, text: string, from: number, to: number, count: number): void {
    if (!this.young.hasRoom(to - from)) {
      const emptied = this.old;
      this.old = this.young;
      emptied.clear();
      this.young = emptied;
    }
    this.young.add(hash, text, from, to, count);
  }
}

/** An open-addressed table over typed arrays; entries are only ever added. */
class Generation {
  entries = 0;
  private used = 0;
  /** Entry + 1; 0 = empty. */
  private readonly slots = new Int32Array(SLOTS);
  private readonly hashes = new Int32Array(GENERATION_ENTRIES);
  private readonly starts = new Int32Array(GENERATION_ENTRIES + 1);
  private readonly counts = new Uint8Array(GENERATION_ENTRIES);
  private readonly units = new Uint16Array(GENERATION_UNITS);

  hasRoom(length: number): boolean {
    return this.entries < GENERATION_ENTRIES && this.used + length <= GENERATION_UNITS;
  }

  find(hash: number, text: string, from: number, to: number): number {
    for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const entry = (this.slots[slot] as number) - 1;
      if (entry < 0) return -1;
      if (this.hashes[entry] === hash && this.holds(entry, text, from, to))
        return this.counts[entry] as number;
    }
  }

  add(hash: number, text: string, from: number, to: number, count: number): void {
    let slot = slotOf(hash);
    while (this.slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    const entry = this.entries;
    this.slots[slot] = entry + 1;
    this.hashes[entry] = hash;
    this.counts[entry] = count;
    for (let at = from; at < to; at++) this.units[this.used++] = text.charCodeAt(at);
    this.entries = entry + 1;
    this.starts[this.entries] = this.used;
  }

  clear(): void {
    this.slots.fill(0);
    this.entries = 0;
    this.used = 0;
  }

  private holds(entry: number, text: string, from: number, to: number): boolean {
    const start = this.starts[entry] as number;
    if ((this.starts[entry + 1] as number) - start !== to - from) return false;
    for (let at = from, unit = start; at < to; at++, unit++) {
      if (this.units[unit] !== text.charCodeAt(at)) return false;
    }
    return true;
  }
}

/** FNV-1a over UTF-16 units. */
export const HASH_SEED = 0x811c9dc5 | 0;
export function hashWith(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function hashOf(text: string, from: number, to: number): number {
  let hash = HASH_SEED;
  for (let at = from; at < to; at++) hash = hashWith(hash, text.charCodeAt(at));
  return hash;
}

/** The slot of a hash: its high bits folded into the low ones. */
function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
