import { memberKey, UNASKED } from './live-nodes.js';
import { OBJECT, type Tape } from './scan-json.js';

interface Step {
  whole: boolean;
  next: Map<string, Step>;
}

/**
 * Marks everything outside the fields asked for as `UNASKED`. A bare name matches at any depth, a dotted
 * path from the root; arrays are passed through. A match is kept whole, with all that contains it. Returns
 * false and marks nothing when no field is found: better a cut value than none.
 */
export function projectFields(tape: Tape, state: Uint8Array, fields: readonly string[]): boolean {
  const names = new Set(fields.filter((field) => !field.includes('.')));
  const paths = pathTree(fields.filter((field) => field.includes('.')));
  const wanted = new Uint8Array(tape.kind.length);
  const steps: (Step | undefined)[] = [];
  let found = false;
  for (let node = 0; node < wanted.length; node += 1) {
    const parent = tape.parent[node] ?? -1;
    let step = parent < 0 ? paths : steps[parent];
    if (parent >= 0 && wanted[parent] === 1) {
      wanted[node] = 1;
    } else if (parent >= 0 && tape.kind[parent] === OBJECT) {
      const key = memberKey(tape, node);
      step = step?.next.get(key);
      if (names.has(key) || step?.whole === true) {
        wanted[node] = 1;
        found ||= state[node] === 0;
      }
    }
    steps.push(step);
  }
  if (!found) return false;
  markUnasked(tape, state, wanted);
  return true;
}

function markUnasked(tape: Tape, state: Uint8Array, wanted: Uint8Array): void {
  for (let node = wanted.length - 1; node >= 0; node -= 1) {
    const parent = tape.parent[node] ?? -1;
    // A container of something wanted is needed for its place, but does not draw its other children in.
    if (wanted[node] !== 0 && parent >= 0 && wanted[parent] === 0) wanted[parent] = 2;
    if (wanted[node] === 0 && state[node] === 0 && parent >= 0) state[node] = UNASKED;
  }
}

function pathTree(paths: readonly string[]): Step {
  const root: Step = { whole: false, next: new Map() };
  for (const path of paths) {
    let step = root;
    for (const name of path.split('.')) {
      const next = step.next.get(name) ?? { whole: false, next: new Map() };
      step.next.set(name, next);
      step = next;
    }
    step.whole = true;
  }
  return root;
}
