import {
  CASELESS,
  classOf,
  codePointIn,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UPPER,
  WHITESPACE,
  width,
} from './character-class.js';
import type { Encoding } from './vocabulary.js';

/**
 * End of the piece that starts at `start` (< end), of the text taken to stop at `end`. Pieces are what the encoding's
 * published split regex matches; byte pairs never merge across them. A scanner instead of the regex because the regex
 * backtracks: its time is quadratic on whitespace and on words between newlines, this one reads each unit at most
 * a few times. It looks at nothing before `start`.
 */
export type NextPiece = (text: string, start: number, end: number) => number;

export function nextPieceOf(encoding: Encoding): NextPiece {
  return encoding === 'o200k_base' ? nextPieceO200k : nextPieceCl100k;
}

const MAY_LEAD_A_WORD = SPACE | OTHER | MARK; // [^\r\n\p{L}\p{N}]
const SYMBOL = OTHER | MARK; // [^\s\p{L}\p{N}]
const ANY_CASE = CASELESS | MARK;

// The order of the tries is the order of the regex's alternatives: word ending in lower case, word in upper case,
// up to three digits, symbols with the newlines and slashes behind them, whitespace.
function nextPieceO200k(text: string, start: number, end: number): number {
  const first = codePointIn(text, start, end);
  const kind = classOf(first);
  const second = start + width(first);
  if (kind === NUMBER) return digits(text, second, end);
  const led = (kind & MAY_LEAD_A_WORD) !== 0;
  const bare = (kind & (LETTER | MARK)) !== 0;
  let stop = -1;
  if (led) stop = wordToLower(text, second, end);
  if (stop < 0 && bare) stop = wordToLower(text, start, end);
  if (stop < 0 && led) stop = upperRun(text, second, end);
  if (stop < 0 && bare) stop = upperRun(text, start, end);
  if (stop >= 0) return stop + contraction(text, stop, end);
  stop = symbols(text, start, kind, end);
  if (stop < 0) return whitespace(text, start, end);
  while (stop < end && isNewlineOrSlash(text.charCodeAt(stop))) stop++;
  return stop;
}

// Contraction, word, up to three digits, symbols with the newlines behind them, whitespace.
function nextPieceCl100k(text: string, start: number, end: number): number {
  const first = codePointIn(text, start, end);
  const kind = classOf(first);
  const second = start + width(first);
  if (kind === NUMBER) return digits(text, second, end);
  if (kind & LETTER) return run(text, second, end, LETTER);
  const short = contraction(text, start, end);
  if (short > 0) return start + short;
  if (kind & MAY_LEAD_A_WORD) {
    const stop = run(text, second, end, LETTER);
    if (stop > second) return stop;
  }
  let stop = symbols(text, start, kind, end);
  if (stop < 0) return whitespace(text, start, end);
  while (stop < end && classOf(text.charCodeAt(stop)) === NEWLINE) stop++;
  return stop;
}

function run(text: string, start: number, end: number, kinds: number): number {
  let at = start;
  while (at < end) {
    const codePoint = codePointIn(text, at, end);
    if ((classOf(codePoint) & kinds) === 0) break;
    at += width(codePoint);
  }
  return at;
}

/** `[Lu Lt Lm Lo M]*[Ll Lm Lo M]+`, or -1. What the first part must give back is what follows its last caseless one. */
function wordToLower(text: string, start: number, end: number): number {
  let at = start;
  let lastCaseless = -1;
  while (at < end) {
    const codePoint = codePointIn(text, at, end);
    const kind = classOf(codePoint);
    if ((kind & (UPPER | ANY_CASE)) === 0) break;
    at += width(codePoint);
    if (kind & ANY_CASE) lastCaseless = at;
  }
  const stop = run(text, at, end, LOWER | ANY_CASE);
  return stop > at ? stop : lastCaseless;
}

/** `[Lu Lt Lm Lo M]+`, or -1. Tried after wordToLower, so no lower-case letter can follow. */
function upperRun(text: string, start: number, end: number): number {
  const stop = run(text, start, end, UPPER | ANY_CASE);
  return stop > start ? stop : -1;
}

function digits(text: string, second: number, end: number): number {
  let at = second;
  for (let n = 1; n < 3 && at < end; n++) {
    const codePoint = codePointIn(text, at, end);
    if (classOf(codePoint) !== NUMBER) break;
    at += width(codePoint);
  }
  return at;
}

/** ` ?[^\s\p{L}\p{N}]+`, or -1. */
function symbols(text: string, start: number, kind: number, end: number): number {
  if (kind & SYMBOL) return run(text, start, end, SYMBOL);
  if (text.charCodeAt(start) !== 0x20) return -1;
  const stop = run(text, start + 1, end, SYMBOL);
  return stop > start + 1 ? stop : -1;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`: to the last newline of the run, else all of it but the space that leads the next piece. */
function whitespace(text: string, start: number, end: number): number {
  const stop = run(text, start, end, WHITESPACE);
  for (let at = stop - 1; at >= start; at--) if (classOf(text.charCodeAt(at)) === NEWLINE) return at + 1;
  return stop === end || stop === start + 1 ? stop : stop - 1;
}

/** Length of 's 't 'm 'd 'll 've 're (any case) at `start`, or 0. */
function contraction(text: string, start: number, end: number): number {
  if (start + 1 >= end || text.charCodeAt(start) !== 0x27) return 0;
  const first = lowered(text, start + 1);
  if (first === 's' || first === 't' || first === 'm' || first === 'd') return 2;
  if (start + 2 >= end) return 0;
  const second = lowered(text, start + 2);
  const pair = (first === 'l' && second === 'l') || ((first === 'v' || first === 'r') && second === 'e');
  return pair ? 3 : 0;
}

/** ASCII only: toLowerCase would turn the Kelvin sign and others into letters the regex does not list. */
function lowered(text: string, index: number): string {
  const unit = text.charCodeAt(index);
  return String.fromCharCode(unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit);
}

function isNewlineOrSlash(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x2f;
}
