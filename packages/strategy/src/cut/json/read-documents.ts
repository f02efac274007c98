import { ARRAY, emptyTape, OBJECT, scanValue, skipSpace, type Tape } from './scan-json.js';

/** One JSON value, or a sequence of objects and arrays (NDJSON, or documents set one behind the other). */
export interface Documents {
  readonly tape: Tape;
  readonly roots: readonly number[];
  /** Lines of a sequence that are no JSON, such as one broken off at the end. */
  readonly broken: number;
}

/** A broken document is scanned to the end of the text in the worst case: so many, and it is not JSON. */
const MOST_BROKEN = 8;

/** Reads a text as JSON, a byte order mark in front allowed. Null when it is neither JSON nor NDJSON. */
export function readDocuments(text: string): Documents | null {
  const tape = emptyTape(text);
  const limit = text.length;
  let at = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0, limit);
  if (!startsLikeJson(text.charCodeAt(at))) return null;
  const roots: number[] = [];
  let broken = 0;
  while (at < limit) {
    const node = tape.kind.length;
    const end = scanValue(tape, at, limit);
    if (end < 0 || (roots.length > 0 && !isContainer(tape, node))) {
      broken += 1;
      if (roots.length === 0 || broken > MOST_BROKEN || broken > 1 + roots.length / 4) return null;
      if (end >= 0) return null;
      const line = text.indexOf('\n', at);
      at = line < 0 ? limit : skipSpace(text, line + 1, limit);
      continue;
    }
    if (roots.length === 1 && !isContainer(tape, roots[0] ?? 0)) return null;
    roots.push(node);
    at = skipSpace(text, end, limit);
  }
  if (roots.length === 0 || (broken > 0 && !isContainer(tape, roots[0] ?? 0))) return null;
  if (broken > 0 && roots.length < 2) return null;
  return { tape, roots, broken };
}

function isContainer(tape: Tape, node: number): boolean {
  return tape.kind[node] === OBJECT || tape.kind[node] === ARRAY;
}

function startsLikeJson(code: number): boolean {
  return (
    code === 123 || code === 91 || code === 34 || code === 45 || (code >= 48 && code <= 57) || isWord(code)
  );
}

function isWord(code: number): boolean {
  return code === 116 || code === 102 || code === 110;
}
