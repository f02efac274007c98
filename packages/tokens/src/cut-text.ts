import { classOf, WHITESPACE } from './character-class.js';
import { soundCutAfter, soundCutBefore } from './grapheme.js';
import type { PieceCounter } from './piece-counter.js';

/** In pieces up to this many units every sound cut is tried; in longer ones the search starts at a token boundary. */
const TRY_ALL_UNITS = 96;

/** Longest sound prefix of `text` with at most `limit` tokens. One walk over the text, then a search within one piece. */
export function cutHead(counter: PieceCounter, text: string, limit: number): string {
  if (limit <= 0) return '';
  // Places that stay piece boundaries, with the same count before them, however the text is cut off behind them.
  const anchors: number[] = [0];
  const counts: number[] = [0];
  let at = 0;
  let total = 0;
  let stop = 0;
  while (at < text.length) {
    stop = counter.nextPiece(text, at, text.length);
    const count = counter.countPiece(text, at, stop);
    if (total + count > limit) break;
    total += count;
    at = stop;
    // The end of a whitespace piece depends on what follows it: no anchor.
    if (!isWhitespace(text, at - 1)) {
      anchors.push(at);
      counts.push(total);
    }
  }
  if (at === text.length) return text;
  while (stop < text.length && isWhitespace(text, stop - 1) && isWhitespace(text, stop)) stop++;

  const fits = (end: number): boolean => {
    while ((anchors.at(-1) ?? 0) > end) {
      anchors.pop();
      counts.pop();
    }
    return (counts.at(-1) ?? 0) + counter.count(text, anchors.at(-1) ?? 0, end) <= limit;
  };
  let end = stop;
  if (stop - at > TRY_ALL_UNITS) end = at + counter.unitsOfTokens(text, at, stop, limit - total);
  for (let step = 1; ; step += stop - at > TRY_ALL_UNITS ? step : 0) {
    end = soundCutBefore(text, end);
    if (end <= 0 || fits(end)) return text.slice(0, Math.max(0, end));
    end -= step;
  }
}

/** Longest sound suffix of `text` with at most `limit` tokens. */
export function cutTail(counter: PieceCounter, text: string, limit: number): string {
  if (limit <= 0) return '';
  const starts: number[] = [];
  const before: number[] = [];
  let total = 0;
  for (let at = 0; at < text.length; ) {
    const stop = counter.nextPiece(text, at, text.length);
    starts.push(at);
    before.push(total);
    total += counter.countPiece(text, at, stop);
    at = stop;
  }
  if (total <= limit) return text;
  starts.push(text.length);
  before.push(total);
  // The first piece that is in whole; the one before it is cut.
  let piece = starts.length - 1;
  while (piece > 0 && total - (before[piece - 1] as number) <= limit) piece--;
  const from = starts[piece - 1] as number;
  const to = starts[piece] as number;

  // A suffix is split anew from its start, and like the whole text from the first boundary that both have.
  const fits = (start: number): boolean => {
    let known = piece - 1;
    while (known > 0 && (starts[known] as number) > start) known--;
    let count = 0;
    for (let at = start; ; ) {
      while ((starts[known] as number) < at) known++;
      if (starts[known] === at) return count + total - (before[known] as number) <= limit;
      const stop = counter.nextPiece(text, at, text.length);
      count += counter.countPiece(text, at, stop);
      if (count > limit) return false;
      at = stop;
    }
  };
  const tryAll = to - from <= TRY_ALL_UNITS;
  const skipped = tryAll
    ? 0
    : skippedUnits(counter, text, from, to, limit - (total - (before[piece] as number)));
  let start = from + skipped;
  for (let step = 1; ; step += tryAll ? 0 : step) {
    start = soundCutAfter(text, start);
    if (start >= text.length || fits(start)) return text.slice(start);
    start += step;
  }
}

/** Units of the piece text[from, to) to leave out so that about `keep` of its tokens are left. */
function skippedUnits(counter: PieceCounter, text: string, from: number, to: number, keep: number): number {
  const skip = Math.max(0, counter.countPiece(text, from, to) - keep);
  return counter.unitsOfTokens(text, from, to, skip);
}

function isWhitespace(text: string, index: number): boolean {
  return (classOf(text.charCodeAt(index)) & WHITESPACE) !== 0;
}
