import { setImmediate as letOthersRun } from 'node:timers/promises';
import { RE2JS, RE2JSException } from 're2js';

/** A line that matches. `column` counts characters from 1; `text` is the line, or what stands around the match. */
export interface LineMatch {
  line: number;
  column: number;
  text: string;
}

export interface Search {
  matches: LineMatch[];
  total: number;
  /** Lines looked at; below `total` where a bound ended the search. */
  searched: number;
  /** What ended it before the end, or null. Go on with `from` = searched + 1. */
  endedBy: 'matches' | 'bytes' | 'time' | null;
}

export interface SearchBounds {
  /** First line that is looked at, from 1. */
  from: number;
  maxMatches: number;
  /** UTF-8 bytes of the matches' text together. */
  maxBytes: number;
  /** Time that the search may take, in ms; it lets other work in between. */
  maxMs: number;
}

/** A pattern that cannot be searched for; the message is for who asked. */
export class PatternError extends Error {
  override name = 'PatternError';
}

const LONGEST_PATTERN = 500;
/** Instructions of the compiled pattern: the time per character is at most in proportion. */
const LARGEST_PROGRAM = 2_000;
/** Longer lines are searched in parts that overlap, so that one part takes milliseconds. */
const PART = 16_384;
const OVERLAP = 1_024;
/** Of a longer line so many characters around the match are shown. */
const SHOWN = 400;
const BEFORE_MATCH = 120;
/** How long other work waits at most, in ms. */
const TURN_MS = 15;

/**
 * The lines that match a pattern in RE2's syntax: linear in the text whatever the pattern (no back-references, no
 * look-around), and bounded in output and time. In a line of more than 16,384 characters a match longer than 1,024 may
 * be missed, and `^` and `$` also hold at the borders of parts. Throws PatternError.
 */
export async function grepLines(text: string, pattern: string, bounds: SearchBounds): Promise<Search> {
  const expression = compile(pattern);
  const search: Search = { matches: [], total: 0, searched: 0, endedBy: null };
  const started = performance.now();
  let turn = started;
  let bytes = 0;
  let line = 0;
  for (const [from, to] of lineRanges(text)) {
    line += 1;
    if (line < bounds.from || search.endedBy !== null) continue;
    for (let at = from; at === from || at < to; at += PART) {
      const part = text.slice(Math.max(from, at - OVERLAP), Math.min(to, at + PART));
      const found = expression.test(part) ? expression.exec(part) : null;
      if (performance.now() - turn > TURN_MS) {
        await letOthersRun();
        turn = performance.now();
      }
      if (performance.now() - started > bounds.maxMs) search.endedBy = 'time';
      if (found !== null) {
        const index = Math.max(from, at - OVERLAP) + Number((found as unknown as { index: number }).index);
        const match = { line, column: index - from + 1, text: around(text, from, to, index) };
        bytes += Buffer.byteLength(match.text);
        if (bytes > bounds.maxBytes) search.endedBy = 'bytes';
        else search.matches.push(match);
        break;
      }
      if (search.endedBy !== null) break;
    }
    if (search.endedBy === null) search.searched = line;
    if (search.matches.length >= bounds.maxMatches) search.endedBy ??= 'matches';
  }
  search.total = line;
  if (search.searched >= search.total) search.endedBy = null;
  return search;
}

function compile(pattern: string): RE2JS {
  if (pattern.length > LONGEST_PATTERN) {
    throw new PatternError(`is longer than ${LONGEST_PATTERN} characters`);
  }
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new PatternError(`is no pattern of RE2 (no look-around, no back-references): ${reason}`, {
      cause: error,
    });
  }
  if (expression.programSize() > LARGEST_PROGRAM) {
    throw new PatternError('repeats too much: lower its counts');
  }
  return expression;
}

/** Begin and end of each line, without its LF; a text that ends in LF has no empty last line. */
function* lineRanges(text: string): Generator<readonly [number, number]> {
  for (let from = 0; from < text.length; ) {
    const to = text.indexOf('\n', from);
    const end = to < 0 ? text.length : to;
    yield [from, end];
    from = end + 1;
  }
}

function around(text: string, from: number, to: number, index: number): string {
  if (to - from <= SHOWN) return text.slice(from, to);
  const start = Math.max(from, Math.min(index - BEFORE_MATCH, to - SHOWN));
  const end = Math.min(to, start + SHOWN);
  const shown = text
    .slice(start, end)
    .toWellFormed()
    .replaceAll(/^\uFFFD|\uFFFD$/g, '');
  return `${start > from ? '…' : ''}${shown}${end < to ? '…' : ''}`;
}
