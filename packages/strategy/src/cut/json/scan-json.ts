/** What a node of the tape is. */
export const OBJECT = 0;
export const ARRAY = 1;
export const STRING = 2;
export const NUMBER = 3;
export const LITERAL = 4;

/**
 * JSON as parallel arrays in document order: node `i` spans `text[start[i], end[i])`, its first child is
 * `i + 1`, the node behind its subtree is `after[i]`. Nothing is decoded: numbers and strings stay as they
 * were written. `keyStart` is -1 for array items and roots, and points behind the opening quote otherwise.
 */
export interface Tape {
  readonly text: string;
  readonly kind: number[];
  readonly start: number[];
  readonly end: number[];
  readonly keyStart: number[];
  readonly keyEnd: number[];
  readonly parent: number[];
  readonly after: number[];
  readonly children: number[];
}

const NUMBER_SHAPE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ['true', 'false', 'null'];

export function emptyTape(text: string): Tape {
  return {
    text,
    kind: [],
    start: [],
    end: [],
    keyStart: [],
    keyEnd: [],
    parent: [],
    after: [],
    children: [],
  };
}

/**
 * Reads one value at `from` into the tape, as strictly as JSON.parse, in one pass and without recursion.
 * Returns the index behind it, or -1 when there is no valid value; the tape is then as before.
 */
export function scanValue(tape: Tape, from: number, limit: number): number {
  const before = tape.kind.length;
  const at = new Scan(tape, limit).value(from);
  if (at < 0) truncate(tape, before);
  return at;
}

export function skipSpace(text: string, from: number, limit: number): number {
  let at = from;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return at;
}

function truncate(tape: Tape, length: number): void {
  for (const column of [tape.kind, tape.start, tape.end, tape.keyStart, tape.keyEnd]) column.length = length;
  for (const column of [tape.parent, tape.after, tape.children]) column.length = length;
}

class Scan {
  private readonly text: string;
  private readonly open: number[] = [];
  private keyStart = -1;
  private keyEnd = -1;

  constructor(
    private readonly tape: Tape,
    private readonly limit: number,
  ) {
    this.text = tape.text;
  }

  value(from: number): number {
    let at = skipSpace(this.text, from, this.limit);
    while (at >= 0) {
      const code = this.text.charCodeAt(at);
      if (at >= this.limit) return -1;
      if (code === 123 || code === 91) {
        at = this.openContainer(at, code === 123 ? OBJECT : ARRAY);
        if (at >= 0) continue;
        if (at === -1) return -1;
        at = -at - 2;
      } else {
        at = this.scalar(at, code);
      }
      if (at < 0) return -1;
      at = this.closeContainers(at);
      if (at < 0 || this.open.length === 0) return at;
    }
    return -1;
  }

  /** Index of the first child, or -(index behind) - 2 when the container is empty, or -1 on a bad key. */
  private openContainer(at: number, kind: number): number {
    const node = this.push(kind, at, 0);
    this.open.push(node);
    const inside = skipSpace(this.text, at + 1, this.limit);
    if (this.text.charCodeAt(inside) === (kind === OBJECT ? 125 : 93) && inside < this.limit) {
      this.close(inside + 1);
      return -(inside + 1) - 2;
    }
    return kind === OBJECT ? this.key(inside) : inside;
  }

  private closeContainers(from: number): number {
    let at = from;
    while (this.open.length > 0) {
      at = skipSpace(this.text, at, this.limit);
      if (at >= this.limit) return -1;
      const code = this.text.charCodeAt(at);
      const isObject = this.tape.kind[this.open.at(-1) ?? 0] === OBJECT;
      if (code === 44) {
        const next = skipSpace(this.text, at + 1, this.limit);
        return isObject ? this.key(next) : next;
      }
      if (code !== (isObject ? 125 : 93)) return -1;
      at += 1;
      this.close(at);
    }
    return at;
  }

  private key(at: number): number {
    if (this.text.charCodeAt(at) !== 34) return -1;
    const end = this.string(at);
    if (end < 0) return -1;
    const colon = skipSpace(this.text, end, this.limit);
    if (this.text.charCodeAt(colon) !== 58 || colon >= this.limit) return -1;
    this.keyStart = at + 1;
    this.keyEnd = end - 1;
    return skipSpace(this.text, colon + 1, this.limit);
  }

  private scalar(at: number, code: number): number {
    if (code === 34) {
      const end = this.string(at);
      if (end >= 0) this.push(STRING, at, end);
      return end;
    }
    if (code === 45 || (code >= 48 && code <= 57)) {
      NUMBER_SHAPE.lastIndex = at;
      const end = NUMBER_SHAPE.test(this.text) ? NUMBER_SHAPE.lastIndex : -1;
      if (end < 0 || end > this.limit) return -1;
      this.push(NUMBER, at, end);
      return end;
    }
    const literal = LITERALS.find((word) => this.text.startsWith(word, at));
    if (literal === undefined || at + literal.length > this.limit) return -1;
    this.push(LITERAL, at, at + literal.length);
    return at + literal.length;
  }

  /** The index behind the closing quote, or -1. */
  private string(at: number): number {
    for (let index = at + 1; index < this.limit; index += 1) {
      const code = this.text.charCodeAt(index);
      if (code === 34) return index + 1;
      if (code < 32) return -1;
      if (code !== 92) continue;
      index += 1;
      const escape = this.text.charAt(index);
      if (escape === 'u') {
        if (!/^[\da-fA-F]{4}$/.test(this.text.slice(index + 1, index + 5))) return -1;
        index += 4;
      } else if (escape === '' || !'"\\/bfnrt'.includes(escape)) {
        return -1;
      }
    }
    return -1;
  }

  private push(kind: number, start: number, end: number): number {
    const { tape } = this;
    const node = tape.kind.length;
    const parent = this.open.at(-1) ?? -1;
    const keyed = parent >= 0 && tape.kind[parent] === OBJECT;
    tape.kind.push(kind);
    tape.start.push(start);
    tape.end.push(end);
    tape.keyStart.push(keyed ? this.keyStart : -1);
    tape.keyEnd.push(keyed ? this.keyEnd : -1);
    tape.parent.push(parent);
    tape.after.push(node + 1);
    tape.children.push(0);
    if (parent >= 0) tape.children[parent] = (tape.children[parent] ?? 0) + 1;
    return node;
  }

  private close(end: number): void {
    const node = this.open.pop() ?? 0;
    this.tape.end[node] = end;
    this.tape.after[node] = this.tape.kind.length;
  }
}
