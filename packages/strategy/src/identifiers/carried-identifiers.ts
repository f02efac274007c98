import { identifiersOf } from './identifiers.js';
import { namesOf } from './names.js';

/** One event of what is summed up or left out. */
export interface NamingSource {
  kind: 'message' | 'tool_call' | 'tool_result';
  text: string;
}

/** Most identifiers carried for one block, and their characters: about 1,500 tokens. */
export const CARRIED_LIMIT = 200;
const CARRIED_CHARS = 5000;
const LONGEST = 80;
/** Longest text of a tool that is read for names; the rest of it is one handle away. */
const READ_CHARS = 20_000;

/**
 * Identifiers and names of the source that `text` lost, as written there, the most telling first: one that
 * stands alone before one of many of the same shape (a price list has a hundred numbers, a booking has one), and what
 * people said before what tools were asked and returned. A long identifier (over 80 characters) is
 * left to the artifact it came from.
 */
export function carriedIdentifiers(
  sources: readonly NamingSource[],
  text: string,
  limit: number = CARRIED_LIMIT,
): string[] {
  const ranked = new Map<string, number>();
  for (const source of sources) {
    for (const [name, rank] of rankedNames(source)) {
      const known = ranked.get(name);
      if (known === undefined || rank < known) ranked.set(name, rank);
    }
  }
  const carried: string[] = [];
  let chars = 0;
  for (const [name] of [...ranked].toSorted((a, b) => a[1] - b[1])) {
    if (carried.length >= limit || chars > CARRIED_CHARS) break;
    if (name.length > LONGEST || text.includes(name)) continue;
    carried.push(name);
    chars += name.length + 2;
  }
  return carried;
}

/** Ranks from 0. What one message or result names of one shape shares its rank with how many there are. */
function rankedNames({ kind, text }: NamingSource): [name: string, rank: number][] {
  const start = text.slice(0, READ_CHARS);
  const read = kind === 'message' ? start : start.replace(JSON_KEY, ' ');
  const identifiers = identifiersOf(read);
  const shapes = new Map<string, number>();
  for (const name of identifiers) shapes.set(shapeOf(name), (shapes.get(shapeOf(name)) ?? 0) + 1);
  // A dump dilutes what it names: the tenth of a hundred says less than one of three.
  const base = (kind === 'message' ? 0 : 1) + Math.floor(identifiers.length / DILUTION);
  const ranked = identifiers.map((name): [string, number] => {
    const alike = (shapes.get(shapeOf(name)) as number) - 1;
    return [name, base + alike + (BARE.test(name) ? BARE_PENALTY : 0)];
  });
  if (kind === 'tool_call') return ranked;
  const names = namesOf(read);
  return [...ranked, ...names.map((name): [string, number] => [name, base + names.length - 1])];
}

/** `address1` names a field, not a thing. */
const JSON_KEY = /"[^"\\\n]{1,60}"\s{0,4}:/g;

const DILUTION = 15;

/** A line number, a year or a count more often than an id. */
const BARE = /^\d{1,4}$/;
const BARE_PENALTY = 4;

/** Letters and digits as one sign each, runs of them as one: `ORD-8812` and `ORD-55` are of one shape. */
function shapeOf(name: string): string {
  return name.replace(/\p{L}+/gu, 'a').replace(/\d+/g, '0');
}
