import { quantity } from '../marker.js';
import { findNodes, NodePaths } from './find-nodes.js';
import { parsePath, type PathStep } from './parse-path.js';
import { readDocuments } from './read-documents.js';
import { ARRAY, OBJECT, type Tape } from './scan-json.js';

export interface FieldBounds {
  /** Values of one path. */
  maxValues: number;
  /** Characters of all values together. */
  maxChars: number;
}

/** What one path leads to. `total` counts all values, of which the first are given. */
export interface Field {
  path: string;
  total: number;
  values: FieldValue[];
}

/** `json` is the value as it was written, numbers included; null where it is too large, and `omitted` says what it is. */
export interface FieldValue {
  path: string;
  json: string | null;
  omitted: string | null;
}

/**
 * The values at paths of a JSON text, or null where it is none. Of NDJSON a path begins at the lines: `$[0].id`,
 * `[*].id`. Throws PathError, naming the path, before anything is read. Linear in the text for each step.
 */
export function readFields(text: string, paths: readonly string[], bounds: FieldBounds): Field[] | null {
  const parsed = paths.map((path): [string, PathStep[]] => [path, parsePath(path)]);
  const documents = readDocuments(text);
  if (documents === null) return null;
  const { tape, roots } = documents;
  const places = new NodePaths(tape, roots);
  let left = bounds.maxChars;
  return parsed.map(([path, steps]) => {
    const nodes = roots.length === 1 ? findNodes(tape, roots, steps) : inSequence(tape, roots, steps);
    const values = nodes.slice(0, bounds.maxValues).map((node): FieldValue => {
      const size = (tape.end[node] ?? 0) - (tape.start[node] ?? 0);
      const place = places.of(node);
      if (size > left) return { path: place, json: null, omitted: describe(tape, node, size) };
      left -= size;
      return { path: place, json: tape.text.slice(tape.start[node], tape.end[node]), omitted: null };
    });
    return { path, total: nodes.length, values };
  });
}

/** The documents of a sequence take the place of items of an array around them. */
function inSequence(tape: Tape, roots: readonly number[], steps: readonly PathStep[]): number[] {
  const [first, ...rest] = steps;
  if (first === undefined || first.kind === 'below') return findNodes(tape, roots, steps);
  if (first.kind === 'all') return findNodes(tape, roots, rest);
  if (first.kind === 'slice')
    return findNodes(tape, roots.slice(first.from ?? 0, first.to ?? undefined), rest);
  const root = first.kind === 'index' ? roots.at(first.index) : undefined;
  return root === undefined ? [] : findNodes(tape, [root], rest);
}

function describe(tape: Tape, node: number, size: number): string {
  const kind = tape.kind[node];
  const children = tape.children[node] ?? 0;
  const what =
    kind === ARRAY
      ? `array of ${quantity(children, 'item')}`
      : kind === OBJECT
        ? `object of ${quantity(children, 'member')}`
        : 'value';
  return `${what}, ${quantity(size, 'character')}: too large, ask for what is in it`;
}
