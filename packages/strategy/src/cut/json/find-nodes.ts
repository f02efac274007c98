import { memberKey } from './live-nodes.js';
import type { PathStep } from './parse-path.js';
import { ARRAY, OBJECT, type Tape } from './scan-json.js';

/**
 * The nodes a path leads to from `roots`, each once, in document order. Linear in the document for each step, however
 * the steps multiply.
 */
export function findNodes(tape: Tape, roots: readonly number[], steps: readonly PathStep[]): number[] {
  let nodes = [...roots];
  for (const step of steps)
    nodes = step.kind === 'below' ? allBelow(tape, nodes) : advance(tape, nodes, step);
  return nodes;
}

/** The nodes themselves and all in them. In document order a subtree is a range, so those that overlap are one. */
function allBelow(tape: Tape, nodes: readonly number[]): number[] {
  const below: number[] = [];
  let next = 0;
  for (const node of nodes) {
    for (next = Math.max(next, node); next < (tape.after[node] ?? 0); next += 1) below.push(next);
  }
  return below;
}

function advance(tape: Tape, nodes: readonly number[], step: PathStep): number[] {
  const found: number[] = [];
  for (const node of nodes) {
    const children = () => childrenOf(tape, node);
    if (step.kind === 'all') {
      for (const child of children()) found.push(child);
    } else if (step.kind === 'name' && tape.kind[node] === OBJECT) {
      // Of several members with one name the last counts, as in JSON.parse.
      const named = children().findLast((child) => memberKey(tape, child) === step.name);
      if (named !== undefined) found.push(named);
    } else if (step.kind === 'index' && tape.kind[node] === ARRAY) {
      const item = children().at(step.index);
      if (item !== undefined) found.push(item);
    } else if (step.kind === 'slice' && tape.kind[node] === ARRAY) {
      for (const child of children().slice(step.from ?? 0, step.to ?? undefined)) found.push(child);
    }
  }
  // Children of nested nodes interleave.
  return found.toSorted((a, b) => a - b);
}

function childrenOf(tape: Tape, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < (tape.after[node] ?? 0); child = tape.after[child] ?? 0)
    children.push(child);
  return children;
}

/** Writes where nodes stand, as paths. Remembers the places of items, so that a long array is counted once. */
export class NodePaths {
  private readonly places = new Map<number, Map<number, number>>();

  constructor(
    private readonly tape: Tape,
    private readonly roots: readonly number[],
  ) {}

  of(node: number): string {
    const parts: string[] = [];
    for (let at = node; at >= 0; at = this.tape.parent[at] ?? -1) parts.push(this.step(at));
    return `$${parts.toReversed().join('')}`;
  }

  private step(node: number): string {
    const parent = this.tape.parent[node] ?? -1;
    if (parent < 0) return this.roots.length > 1 ? `[${this.placesIn(-1, this.roots).get(node)}]` : '';
    if (this.tape.kind[parent] === OBJECT) {
      const key = memberKey(this.tape, node);
      return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    }
    return `[${this.placesIn(parent, null).get(node)}]`;
  }

  private placesIn(parent: number, known: readonly number[] | null): Map<number, number> {
    let places = this.places.get(parent);
    if (places === undefined) {
      const children = known ?? childrenOf(this.tape, parent);
      places = new Map(children.map((child, index) => [child, index]));
      this.places.set(parent, places);
    }
    return places;
  }
}
