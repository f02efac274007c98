import type { Counter } from './rule.js';

/** A piece of text that is kept or dropped whole. Lower priority numbers are kept first; 99 never is. */
export interface Line {
  readonly text: string;
  readonly priority: number;
}

export interface FitOptions {
  readonly maxTokens: number;
  readonly counter: Counter;
  /** The note put in place of the dropped lines `from` to `to` (exclusive), or null for none. */
  note(from: number, to: number): string | null;
  /** Writes what is kept; unless given, the lines one under the other with the notes between. */
  render?(kept: Uint8Array): string;
}

export interface FittedLines {
  readonly text: string;
  /** Which lines were kept, by their index. */
  readonly kept: Uint8Array;
}

/** Priority of a line that is only ever told of by the note in its place. */
export const NEVER = 99;

/** Lines are tried on after one did not fit, because a shorter one may; so many misses in a row end it. */
const MOST_MISSES = 64;
const ATTEMPTS = 6;

/**
 * The most important lines that fit, in their order, with a note where lines are missing. Null when not
 * even one does. Each line is counted once; the sum is an estimate (tokens merge across line ends), so the
 * result is counted as a whole and the estimate corrected until it holds.
 */
export function fitLines(lines: readonly Line[], options: FitOptions): FittedLines | null {
  const order = byPriority(lines);
  const costs = new Int32Array(lines.length).fill(-1);
  // The note of the largest gap is the longest: half of it is nearer to the usual one.
  const gapCost = Math.ceil(options.counter.count(options.note(0, lines.length) ?? '') / 2);
  let target = options.maxTokens;
  let best: FittedLines | null = null;
  for (let attempt = 0; attempt < ATTEMPTS && target > 0; attempt += 1) {
    const kept = choose(lines, order, costs, target, gapCost, options.counter);
    if (kept === null) break;
    const text = options.render?.(kept) ?? render(lines, kept, options);
    const tokens = options.counter.count(text);
    if (tokens <= options.maxTokens) {
      if (best === null || text.length > best.text.length) best = { text, kept };
      if (tokens >= options.maxTokens * 0.9 || attempt >= 2 || !kept.includes(0)) break;
      target += options.maxTokens - tokens;
    } else if (best !== null) {
      break;
    } else {
      target = Math.min(target - 1, Math.floor(((target * options.maxTokens) / tokens) * 0.98));
    }
  }
  return best;
}

function byPriority(lines: readonly Line[]): number[][] {
  const buckets: number[][] = Array.from({ length: NEVER }, () => []);
  for (const [index, line] of lines.entries()) {
    buckets[Math.max(0, Math.min(NEVER, Math.trunc(line.priority)))]?.push(index);
  }
  return buckets;
}

function choose(
  lines: readonly Line[],
  order: readonly number[][],
  costs: Int32Array,
  target: number,
  gapCost: number,
  counter: Counter,
): Uint8Array | null {
  const kept = new Uint8Array(lines.length);
  let spent = lines.length > 0 ? gapCost : 0;
  let misses = 0;
  let any = false;
  for (const index of order.flat()) {
    let cost = costs[index] ?? -1;
    if (cost < 0) {
      cost = 1 + counter.count(lines[index]?.text ?? '');
      costs[index] = cost;
    }
    const open = (index > 0 && kept[index - 1] === 0 ? 1 : 0) + (kept[index + 1] === 0 ? 1 : 0) - 1;
    if (spent + cost + open * gapCost <= target) {
      kept[index] = 1;
      spent += cost + open * gapCost;
      misses = 0;
      any = true;
    } else {
      misses += 1;
      if (misses > MOST_MISSES) break;
    }
  }
  return any ? kept : null;
}

function render(lines: readonly Line[], kept: Uint8Array, options: FitOptions): string {
  const parts: string[] = [];
  for (let index = 0; index < lines.length; ) {
    if (kept[index] === 1) {
      parts.push(lines[index]?.text ?? '');
      index += 1;
      continue;
    }
    let to = kept.indexOf(1, index);
    if (to < 0) to = lines.length;
    const note = options.note(index, to);
    if (note !== null) parts.push(note);
    index = to;
  }
  return parts.join('\n');
}
