import { LITERAL, OBJECT, STRING, type Tape } from './scan-json.js';

/** Node states: what becomes of a node before any is dropped for want of room. */
export const LIVE = 0;
/** Not part of the value: an earlier member of the same name, or a note of an earlier cut. */
export const SHADOWED = 1;
/** A member without information: null, "", [], {} or an object of only such. */
export const EMPTY = 2;
/** Outside the fields asked for. */
export const UNASKED = 3;

export interface Liveness {
  readonly state: Uint8Array;
  /** What notes of an earlier cut stand for, by the container that holds them. */
  readonly carried: ReadonlyMap<number, number>;
}

export const NOTE_KEY = '…';
const EARLIER_NOTE = /^"(?:… )?(?:([\d,]{1,15}) more (?:keys?|items?|lines?)\b|cut\b|artifact |…"$)/;

/**
 * Marks what can go without loss. Of several members with one name the last counts, as in JSON.parse; it
 * keeps its own place. Array items are never empty: their position means something.
 */
export function markLive(tape: Tape, roots: readonly number[]): Liveness {
  const state = new Uint8Array(tape.kind.length);
  const carried = new Map<number, number>();
  for (let node = 0; node < state.length; node += 1) {
    if (tape.kind[node] === OBJECT) shadowMembers(tape, node, state, carried);
    else if (tape.children[node] !== 0) shadowLastItem(tape, node, state, carried);
  }
  const filled = new Uint8Array(state.length);
  for (let node = state.length - 1; node >= 0; node -= 1) {
    if (state[node] === SHADOWED) continue;
    const parent = tape.parent[node] ?? -1;
    if (isEmpty(tape, node, filled)) {
      if (parent >= 0 && tape.kind[parent] === OBJECT) state[node] = EMPTY;
      else if (parent >= 0) filled[parent] = 1;
    } else if (parent >= 0) {
      filled[parent] = 1;
    }
  }
  for (const root of roots) state[root] = LIVE;
  return { state, carried };
}

function isEmpty(tape: Tape, node: number, filled: Uint8Array): boolean {
  const kind = tape.kind[node];
  if (kind === STRING) return (tape.end[node] ?? 0) - (tape.start[node] ?? 0) === 2;
  if (kind === LITERAL) return tape.text.startsWith('null', tape.start[node]);
  if (kind === OBJECT) return filled[node] === 0;
  return tape.children[node] === 0 && tape.text.charAt(tape.start[node] ?? 0) === '[';
}

function shadowMembers(tape: Tape, node: number, state: Uint8Array, carried: Map<number, number>): void {
  const members = new Map<string, number>();
  for (let child = node + 1; child < (tape.after[node] ?? 0); child = tape.after[child] ?? 0) {
    const key = memberKey(tape, child);
    const earlier = members.get(key);
    if (earlier !== undefined) state[earlier] = SHADOWED;
    members.set(key, child);
  }
  const note = members.get(NOTE_KEY);
  if (note !== undefined) carry(tape, node, note, state, carried);
}

function shadowLastItem(tape: Tape, node: number, state: Uint8Array, carried: Map<number, number>): void {
  // The last node of the subtree is the last item when that is a scalar, which a note is.
  const last = (tape.after[node] ?? 0) - 1;
  if (last > node && tape.parent[last] === node && tape.text.startsWith(`"${NOTE_KEY}`, tape.start[last])) {
    carry(tape, node, last, state, carried);
  }
}

function carry(
  tape: Tape,
  node: number,
  note: number,
  state: Uint8Array,
  carried: Map<number, number>,
): void {
  const start = tape.start[note] ?? 0;
  const found = EARLIER_NOTE.exec(tape.text.slice(start, Math.min(tape.end[note] ?? 0, start + 60)));
  if (found === null || tape.kind[note] !== STRING) return;
  state[note] = SHADOWED;
  carried.set(node, Number((found[1] ?? '0').replaceAll(',', '')));
}

/** A member's name, decoded. */
export function memberKey(tape: Tape, node: number): string {
  const raw = tape.text.slice(tape.keyStart[node], tape.keyEnd[node]);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
