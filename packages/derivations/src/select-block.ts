import type { WaitingItem } from './fold-state.js';

export interface BlockSettings {
  /** Foldable events of a block; a block is larger or smaller where a call and its result would be split. */
  block: number;
  /** Newest foldable events that no block takes. */
  keepLive: number;
}

/** Fewest foldable events worth a model call. */
export const SMALLEST_BLOCK = 2;

/** A block is `items.slice(start, end)`; what lies before `start` is left behind for good. */
export interface SelectedBlock {
  start: number;
  end: number;
}

/**
 * Chooses the next block among waiting foldable events (pinned ones already out), or null when there is none yet.
 * - Nothing happens before `block + keepLive` events wait.
 * - No border splits a call from its results or the parallel calls of a step: the block is extended, else shrunk.
 * - A call without a result is never in a block. One that is still open when a whole block waits behind it is left
 *   behind, as are results of calls left behind earlier (`abandoned`).
 */
export function selectBlock(
  items: readonly WaitingItem[],
  settings: BlockSettings,
  abandoned: ReadonlySet<string>,
): SelectedBlock | null {
  if (items.length < settings.block + settings.keepLive) return null;
  const groups = groupsOf(items, abandoned);
  const longest = items.length - settings.keepLive;
  for (let start = 0; items.length - start >= settings.block + settings.keepLive; start += 1) {
    for (const end of candidateEnds(start, settings.block, longest)) {
      if (isWhole(groups, start, end)) return { start, end };
    }
  }
  return null;
}

function* candidateEnds(start: number, block: number, longest: number): Generator<number> {
  for (let end = start + block; end <= Math.min(longest, start + 2 * block); end += 1) yield end;
  for (let end = Math.min(longest, start + block - 1); end >= start + SMALLEST_BLOCK; end -= 1) yield end;
}

/** First and last index of what each item must stay together with; null = it may be in no block. */
type Group = { first: number; last: number } | null;

function groupsOf(items: readonly WaitingItem[], abandoned: ReadonlySet<string>): Group[] {
  const groups: Group[] = items.map((_item, at) => ({ first: at, last: at }));
  const latestCall = new Map<string, number>();
  const closed = new Set<number>();
  const steps = new Map<string, number>();
  const join = (a: number, b: number): void => {
    const one = groups[a];
    const other = groups[b];
    if (!one || !other) return;
    const joined = { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) };
    for (let at = joined.first; at <= joined.last; at += 1)
      if (groups[at] === one || groups[at] === other) groups[at] = joined;
    groups[a] = joined;
    groups[b] = joined;
  };
  items.forEach((item, at) => {
    if (item.step !== undefined) {
      const first = steps.get(item.step);
      if (first === undefined) steps.set(item.step, at);
      else join(first, at);
    }
    if (item.call === undefined) return;
    if (item.kind === 'tool_call') {
      latestCall.set(item.call, at);
      return;
    }
    const call = latestCall.get(item.call);
    if (call !== undefined) {
      closed.add(call);
      join(call, at);
    } else if (abandoned.has(item.call)) groups[at] = null;
  });
  // An open call takes its whole step out with it.
  items.forEach((item, at) => {
    if (item.kind !== 'tool_call' || closed.has(at)) return;
    const group = groups[at];
    groups.forEach((other, index) => {
      if (other === group) groups[index] = null;
    });
  });
  return groups;
}

function isWhole(groups: readonly Group[], start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const group = groups[at];
    if (!group || group.first < start || group.last >= end) return false;
  }
  return true;
}

/** Calls among `items` that have no result after them. */
export function openCalls(items: readonly WaitingItem[]): string[] {
  const open = new Set<string>();
  for (const item of items) {
    if (item.call === undefined) continue;
    if (item.kind === 'tool_call') open.add(item.call);
    else open.delete(item.call);
  }
  return [...open];
}
