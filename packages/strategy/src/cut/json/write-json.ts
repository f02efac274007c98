import type { Documents } from './read-documents.js';
import { EMPTY, LIVE, type Liveness, NOTE_KEY, SHADOWED } from './live-nodes.js';
import { ARRAY, OBJECT, type Tape } from './scan-json.js';
import { quantity } from '../marker.js';

/** Which nodes are written, and what for those written shorter (with their quotes). */
export interface Choice {
  readonly kept: Uint8Array;
  readonly shorter: ReadonlyMap<number, string>;
}

/** What is missing, own to a container or in all. */
export interface Missing {
  keys: number;
  items: number;
  empty: number;
  unasked: number;
  strings: number;
  lines: number;
}

/** Writes the note of the outermost value, or null for none. `own` counts what that value itself lacks. */
export type RootNote = (own: number, inside: Missing) => string | null;

interface Open {
  readonly node: number;
  readonly written: { any: boolean };
  missing: number;
}

/** Everything but what is shadowed: the value as it was, without white space. */
export function keepAll(live: Liveness, withEmpty: boolean): Choice {
  const kept = Uint8Array.from(live.state, (state) =>
    state === LIVE || (withEmpty && state !== SHADOWED) ? 1 : 0,
  );
  return { kept, shorter: new Map() };
}

/**
 * The chosen nodes as compact JSON, one document a line. A container that lacks members or items says how
 * many: a last member `"…": "3 more keys"`, a last item `"… 195 more items"`.
 */
export function writeJson(documents: Documents, live: Liveness, choice: Choice, rootNote: RootNote): string {
  const { tape, roots, broken } = documents;
  const missing: Missing = {
    keys: 0,
    items: 0,
    empty: 0,
    unasked: 0,
    strings: choice.shorter.size,
    lines: 0,
  };
  const isSequence = roots.length > 1 || broken > 0;
  const lines: string[] = [];
  for (const root of roots) {
    if (choice.kept[root] === 1)
      lines.push(writeValue(tape, root, live, choice, missing, isSequence ? null : rootNote));
    else missing.lines += 1;
  }
  if (isSequence) {
    const note = rootNote(missing.lines + broken, missing);
    if (note !== null) lines.push(`{"${NOTE_KEY}":${JSON.stringify(note)}}`);
  }
  return lines.join('\n');
}

function writeValue(
  tape: Tape,
  root: number,
  live: Liveness,
  choice: Choice,
  total: Missing,
  rootNote: RootNote | null,
): string {
  const parts: string[] = [];
  const open: Open[] = [];
  const close = (until: number) => {
    for (
      let top = open.at(-1);
      top !== undefined && (tape.after[top.node] ?? 0) <= until;
      top = open.at(-1)
    ) {
      const isObject = tape.kind[top.node] === OBJECT;
      const own = top.missing + (live.carried.get(top.node) ?? 0);
      const note = open.length === 1 && rootNote !== null ? rootNote(own, total) : ownNote(own, isObject);
      if (note !== null) {
        if (top.written.any) parts.push(',');
        parts.push(
          isObject ? `"${NOTE_KEY}":${JSON.stringify(note)}` : JSON.stringify(note ? `… ${note}` : '…'),
        );
      }
      if (open.length > 1) total[isObject ? 'keys' : 'items'] += top.missing;
      parts.push(isObject ? '}' : ']');
      open.pop();
    }
  };
  for (let node = root; node < (tape.after[root] ?? 0); ) {
    close(node);
    const top = open.at(-1);
    if (choice.kept[node] !== 1) {
      const state = live.state[node];
      if (state === EMPTY) total.empty += 1;
      else if (state === LIVE && top !== undefined) top.missing += 1;
      else if (state !== SHADOWED) total.unasked += 1;
      node = tape.after[node] ?? node + 1;
      continue;
    }
    if (top?.written.any) parts.push(',');
    if (top !== undefined) top.written.any = true;
    const keyStart = tape.keyStart[node] ?? -1;
    if (keyStart >= 0) parts.push(tape.text.slice(keyStart - 1, (tape.keyEnd[node] ?? 0) + 1), ':');
    if (tape.kind[node] === OBJECT || tape.kind[node] === ARRAY) {
      parts.push(tape.kind[node] === OBJECT ? '{' : '[');
      open.push({ node, written: { any: false }, missing: 0 });
    } else {
      parts.push(choice.shorter.get(node) ?? tape.text.slice(tape.start[node], tape.end[node]));
    }
    node += 1;
  }
  close(tape.after[root] ?? 0);
  return parts.join('');
}

function ownNote(own: number, isObject: boolean): string | null {
  return own === 0 ? null : `${quantity(own, isObject ? 'more key' : 'more item')}`;
}
