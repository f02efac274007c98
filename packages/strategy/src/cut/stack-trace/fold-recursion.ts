/** `length` frames from `from` repeat the `period` frames before them. */
export interface Repetition {
  readonly from: number;
  readonly length: number;
  readonly period: number;
}

/** Longest cycle of calls looked for: real mutual recursion is short, and the search is linear by it. */
const LONGEST_CYCLE = 64;
const FEWEST_SAVED = 3;

/**
 * Where a run of frames repeats itself, first match from the top. `keys` are the frames with everything
 * removed that differs from call to call (addresses, arguments).
 */
export function findRepetitions(keys: readonly string[]): Repetition[] {
  const ids = identify(keys);
  const next = nextSame(ids);
  const found: Repetition[] = [];
  for (let at = 0; at < ids.length; ) {
    const period = (next[at] ?? -1) - at;
    if (period < 1 || period > LONGEST_CYCLE || !repeats(ids, at, period)) {
      at += 1;
      continue;
    }
    let end = at + 2 * period;
    while (end < ids.length && ids[end] === ids[end - period]) end += 1;
    const length = end - at - period;
    if (length >= FEWEST_SAVED) found.push({ from: at + period, length, period });
    at = end;
  }
  return found;
}

function repeats(ids: Int32Array, at: number, period: number): boolean {
  for (let offset = 0; offset < period; offset += 1) {
    if (ids[at + offset] !== ids[at + offset + period]) return false;
  }
  return true;
}

function identify(keys: readonly string[]): Int32Array {
  const known = new Map<string, number>();
  return Int32Array.from(keys, (key) => {
    const id = known.get(key) ?? known.size;
    known.set(key, id);
    return id;
  });
}

function nextSame(ids: Int32Array): Int32Array {
  const last = new Map<number, number>();
  const next = new Int32Array(ids.length).fill(-1);
  for (let at = ids.length - 1; at >= 0; at -= 1) {
    const id = ids[at] ?? 0;
    next[at] = last.get(id) ?? -1;
    last.set(id, at);
  }
  return next;
}
