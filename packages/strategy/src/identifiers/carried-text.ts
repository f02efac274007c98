import type { TokenCounter } from '@palimpsest/tokens';

/** Names of one part of what is left out, the most telling first. */
export type CarriedList = readonly string[];

const HEADING = 'Also named earlier:';
/** Of the heading and the full stop at the end. */
const FRAME_TOKENS = 8;

/**
 * The names of all parts as one line within `cap` tokens, those that stand in `shown` left out. Where not all fit, the
 * newest part comes first with a share, then each part gives its first ones in turn: the oldest is heard as well. In the order of the
 * conversation; empty where nothing fits.
 */
export function carriedText(
  lists: readonly CarriedList[],
  shown: string,
  cap: number,
  counter: TokenCounter,
): string {
  const chosen = choose(lists, shown, cap - FRAME_TOKENS, counter);
  while (chosen.size > 0) {
    const names = lists.flatMap((list, at) => [...new Set(list)].filter((name) => chosen.get(name) === at));
    const text = `${HEADING} ${names.join(', ')}.`;
    if (counter.count(text) <= cap) return text;
    // Tokens can meet at a border so that the whole has more than its parts: the last ones chosen go.
    for (const name of [...chosen.keys()].slice(Math.floor(chosen.size * 0.95))) chosen.delete(name);
  }
  return '';
}

/** Tokens that all names would take, counted only until `enough`. */
export function carriedTokens(lists: readonly CarriedList[], enough: number, counter: TokenCounter): number {
  let tokens = 0;
  const seen = new Set<string>();
  for (const list of lists) {
    for (const name of list) {
      if (tokens >= enough) return enough;
      if (seen.has(name)) continue;
      seen.add(name);
      tokens += counter.count(`, ${name}`);
    }
  }
  return tokens === 0 ? 0 : Math.min(enough, tokens + FRAME_TOKENS);
}

/** Share of the cap that the newest part may take before all others: what has just left is asked for most. */
const NEWEST_SHARE = 0.4;

/** Name -> the first part that gave it. */
function choose(
  lists: readonly CarriedList[],
  shown: string,
  cap: number,
  counter: TokenCounter,
): Map<string, number> {
  const chosen = new Map<string, number>();
  let used = 0;
  const take = (at: number, rank: number, limit: number): void => {
    const name = lists[at]?.[rank];
    if (name === undefined || chosen.has(name) || shown.includes(name)) return;
    const tokens = counter.count(`, ${name}`);
    if (used + tokens > limit) return;
    used += tokens;
    chosen.set(name, at);
  };
  const newest = lists.findLastIndex((list) => list.length > 0);
  const ranks = Math.max(0, ...lists.map((list) => list.length));
  for (let rank = 0; rank < ranks; rank += 1) take(newest, rank, cap * NEWEST_SHARE);
  for (let rank = 0; rank < ranks; rank += 1) for (const at of lists.keys()) take(at, rank, cap);
  return chosen;
}
