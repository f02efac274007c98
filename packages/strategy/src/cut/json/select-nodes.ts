import type { Counter } from '../rule.js';
import type { Documents } from './read-documents.js';
import { LIVE, type Liveness, memberKey } from './live-nodes.js';
import { ARRAY, OBJECT, STRING, type Tape } from './scan-json.js';
import type { Choice } from './write-json.js';

/** A string of up to so many characters as written is kept whole or not at all. */
const SHORT = 120;
/** The first form of a long string in tokens; each further form has four times the room. */
const FIRST_FORM = 24;
/** What a note of missing members or items costs. */
const NOTE = 9;
const INLINE = 24;
const LEAST_GAIN = 8;
const LAST_PRIORITY = 255;
const MOST_MISSES = 128;

/** Names whose values tell records apart or say how something came out: kept before the others. */
const TELLING =
  /(?:^|[_\-a-z.])(?:id|uuid|guid|key|name|status|state|type|code|date|time|at|amount|total|price|sum|currency|count|error|message|reason|title|url|email|phone|number|ref)s?$/i;
const ALARMING = /error|exception|message|reason|stack|trace|detail|summary/i;

interface Unit {
  readonly node: number;
  /** The form of a long string, from 0; for other nodes 0. */
  readonly form: number;
  /** For an item: its place and its array's priority. */
  readonly index: number;
  readonly base: number;
}

export type Shorten = (node: number, maxTokens: number) => string | null;

/**
 * Chooses nodes for about `budget` tokens, breadth before depth: an object together with its short values
 * (telling names first), then its containers and the first form of its long strings; items of an array one
 * after the other, each as a record, later ones less urgent by the logarithm of their place; last, longer
 * forms of long strings. Costs are sums over pieces and so an estimate. Work is linear: a node is weighed
 * once, and only when what contains it was chosen.
 */
export function selectNodes(
  documents: Documents,
  live: Liveness,
  budget: number,
  counter: Counter,
  shorten: Shorten,
): Choice {
  const selection = new Selection(documents, live, budget, counter, shorten);
  selection.run();
  return selection.choice();
}

class Selection {
  private readonly tape: Tape;
  private readonly kept: Uint8Array;
  private readonly open: Map<number, number> = new Map();
  private readonly shorter = new Map<number, string>();
  private readonly spentOn = new Map<number, number>();
  private readonly queue: Unit[][] = [];
  private misses = 0;

  constructor(
    private readonly documents: Documents,
    private readonly live: Liveness,
    private left: number,
    private readonly counter: Counter,
    private readonly shorten: Shorten,
  ) {
    this.tape = documents.tape;
    this.kept = new Uint8Array(live.state.length);
  }

  run(): void {
    this.push(0, { node: this.documents.roots[0] ?? 0, form: 0, index: 0, base: 0 });
    for (let priority = 0; priority < this.queue.length && this.misses <= MOST_MISSES; priority += 1) {
      const bucket = this.queue[priority] ?? [];
      for (let at = 0; at < bucket.length && this.misses <= MOST_MISSES; at += 1) {
        const unit = bucket[at];
        if (unit !== undefined) this.admit(unit, priority);
      }
    }
  }

  /** Containers of which nothing could be kept are left to the note of their parent. */
  choice(): Choice {
    const filled = new Uint8Array(this.kept.length);
    for (let node = 0; node < this.kept.length; node += 1) {
      const parent = this.tape.parent[node] ?? -1;
      if (this.kept[node] === 1 && parent >= 0) filled[parent] = 1;
    }
    for (const node of this.open.keys()) {
      if (filled[node] === 0 && (this.tape.parent[node] ?? -1) >= 0 && this.hasLive(node))
        this.kept[node] = 0;
    }
    return { kept: this.kept, shorter: this.shorter };
  }

  private admit(unit: Unit, priority: number): void {
    const { node } = unit;
    const kind = this.tape.kind[node];
    const isContainer = kind === OBJECT || kind === ARRAY;
    const admitted = isContainer
      ? this.admitContainer(node, priority)
      : this.isLong(node) && kind === STRING
        ? this.admitString(unit, priority)
        : this.admitScalar(node);
    this.misses = admitted ? 0 : this.misses + 1;
    if (admitted && unit.form === 0) this.pushNext(unit);
  }

  private admitContainer(node: number, priority: number): boolean {
    const children = this.liveChildren(node);
    const note = children.length > 0 ? NOTE : 0;
    const cost = this.cost(node, '{}');
    if (cost + note + (note > 0 ? 3 : 0) > this.left) return false;
    this.keep(node, cost);
    this.left -= note;
    this.open.set(node, children.length);
    if (this.tape.kind[node] === ARRAY) {
      if (children[0] !== undefined)
        this.push(priority + 1, { node: children[0], form: 0, index: 0, base: priority });
      return true;
    }
    this.admitMembers(children, priority);
    return true;
  }

  private admitMembers(children: readonly number[], priority: number): void {
    const telling: number[] = [];
    const plain: number[] = [];
    for (const child of children) {
      const isContainer = this.tape.kind[child] === OBJECT || this.tape.kind[child] === ARRAY;
      if (isContainer || this.isLong(child)) {
        const urgent = !isContainer && ALARMING.test(this.keySample(child));
        this.push(priority + (urgent ? 1 : 2), { node: child, form: 0, index: -1, base: 0 });
      } else {
        (TELLING.test(this.keySample(child)) ? telling : plain).push(child);
      }
    }
    for (const [order, child] of [...telling, ...plain].entries()) {
      if (order >= INLINE || !this.admitScalar(child)) {
        this.push(priority + 2, { node: child, form: 0, index: -1, base: 0 });
      }
    }
  }

  private admitScalar(node: number): boolean {
    if (this.kept[node] === 1) return true;
    const start = this.tape.start[node] ?? 0;
    const end = this.tape.end[node] ?? 0;
    if (end - start > this.left * 64) return false;
    const cost = this.cost(node, this.tape.text.slice(start, end));
    if (cost > this.left) return false;
    this.keep(node, cost);
    return true;
  }

  private admitString(unit: Unit, priority: number): boolean {
    const { node, form } = unit;
    const before = this.spentOn.get(node) ?? 0;
    const key = this.cost(node, '');
    const wanted = FIRST_FORM * 4 ** form;
    const room = Math.min(wanted, this.left + before - key);
    if (room < FIRST_FORM / 2 || room + key < before + LEAST_GAIN) return false;
    const whole = this.wholeWithin(node, room);
    const text = whole ?? this.shorten(node, room);
    if (text === null) return false;
    const cost = key + this.counter.count(text);
    if (cost > this.left + before) return false;
    if (before === 0) this.keep(node, cost);
    else this.left -= cost - before;
    this.spentOn.set(node, cost);
    if (whole === null) {
      this.shorter.set(node, text);
      // A form that took all that was left has no longer one.
      if (room === wanted) this.push(priority + 3, { ...unit, form: form + 1 });
    } else {
      this.shorter.delete(node);
    }
    return true;
  }

  private wholeWithin(node: number, room: number): string | null {
    const start = this.tape.start[node] ?? 0;
    const end = this.tape.end[node] ?? 0;
    if (end - start > room * 16) return null;
    const text = this.tape.text.slice(start, end);
    return this.counter.count(text) <= room ? text : null;
  }

  private keep(node: number, cost: number): void {
    this.kept[node] = 1;
    this.left -= cost;
    const parent = this.tape.parent[node] ?? -1;
    const waiting = this.open.get(parent);
    if (waiting === undefined) return;
    this.open.set(parent, waiting - 1);
    if (waiting === 1) this.left += NOTE;
  }

  private pushNext(unit: Unit): void {
    const isRoot = (this.tape.parent[unit.node] ?? -1) < 0;
    if (unit.index < 0) return;
    const next = isRoot ? this.documents.roots[unit.index + 1] : this.nextLive(unit.node);
    if (next === undefined) return;
    const index = unit.index + 1;
    this.push(unit.base + 1 + 2 * Math.floor(Math.log2(index + 1)), {
      node: next,
      form: 0,
      index,
      base: unit.base,
    });
  }

  private nextLive(node: number): number | undefined {
    const end = this.tape.after[this.tape.parent[node] ?? 0] ?? 0;
    let next = this.tape.after[node] ?? end;
    while (next < end && this.live.state[next] !== LIVE) next = this.tape.after[next] ?? end;
    return next < end ? next : undefined;
  }

  private liveChildren(node: number): number[] {
    const children: number[] = [];
    for (let child = node + 1; child < (this.tape.after[node] ?? 0); child = this.tape.after[child] ?? 0) {
      if (this.live.state[child] === LIVE) children.push(child);
    }
    return children;
  }

  private hasLive(node: number): boolean {
    return this.liveChildren(node).length > 0;
  }

  private isLong(node: number): boolean {
    return (this.tape.end[node] ?? 0) - (this.tape.start[node] ?? 0) > SHORT;
  }

  private keySample(node: number): string {
    const start = this.tape.keyStart[node] ?? -1;
    const end = this.tape.keyEnd[node] ?? -1;
    if (start < 0 || end - start > 64) return '';
    return memberKey(this.tape, node);
  }

  private cost(node: number, value: string): number {
    const start = this.tape.keyStart[node] ?? -1;
    const end = this.tape.keyEnd[node] ?? -1;
    if (end - start > this.left * 64) return Number.MAX_SAFE_INTEGER;
    const key = start < 0 ? '' : `${this.tape.text.slice(start - 1, end + 1)}:`;
    return this.counter.count(`${key}${value},`);
  }

  private push(priority: number, unit: Unit): void {
    const at = Math.min(LAST_PRIORITY, priority);
    while (this.queue.length <= at) this.queue.push([]);
    this.queue[at]?.push(unit);
  }
}
