/** One bit per class, so that a set of classes is tested with one `&`. Every code point has exactly one. */
export const UPPER = 1; // Lu, Lt
export const LOWER = 2; // Ll
export const CASELESS = 4; // Lm, Lo
export const MARK = 8; // M
export const NUMBER = 16; // N
export const NEWLINE = 32; // CR, LF
export const SPACE = 64; // the rest of \s
export const OTHER = 128;

export const LETTER = UPPER | LOWER | CASELESS;
export const WHITESPACE = NEWLINE | SPACE;

// Filled on demand: asking the engine's Unicode tables once per code point seen is cheap, for all 1.1 million it is not.
const classes = new Uint8Array(0x110000);

/** Class of a code point, by the same Unicode tables and the same `\s` that a JavaScript regex with the u flag uses. */
export function classOf(codePoint: number): number {
  return classes[codePoint] || learn(codePoint);
}

/** Code point at `index` of the text cut off at `end`; a surrogate without its partner stands for itself. */
export function codePointIn(text: string, index: number, end: number): number {
  const unit = text.charCodeAt(index);
  if ((unit & 0xfc00) !== 0xd800 || index + 1 >= end) return unit;
  const low = text.charCodeAt(index + 1);
  return (low & 0xfc00) === 0xdc00 ? ((unit - 0xd800) << 10) + (low - 0xdc00) + 0x10000 : unit;
}

/** UTF-16 units of a code point. */
export function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

function learn(codePoint: number): number {
  const found = classify(codePoint);
  classes[codePoint] = found;
  return found;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (character === '\r' || character === '\n') return NEWLINE;
  if (/\s/u.test(character)) return SPACE;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return UPPER;
  if (/\p{Ll}/u.test(character)) return LOWER;
  if (/\p{L}/u.test(character)) return CASELESS;
  if (/\p{N}/u.test(character)) return NUMBER;
  if (/\p{M}/u.test(character)) return MARK;
  return OTHER;
}
