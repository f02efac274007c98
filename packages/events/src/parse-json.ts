import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** Deeper than what any tool sends, far from the depth where recursive code runs out of stack. */
const MAX_DEPTH = 512;

/**
 * Could a number of this text change when it passes through a double? More than 15 digits, an exponent, trailing
 * zeros, a small fraction (0.0000001 comes back as 1e-7), minus zero. Says yes too often, never too seldom.
 */
const RISKY_NUMBER = /[\d.]{16}|\d\.\d*0(?!\d)|[eE][+-]?\d|0\.0{6}|-0/;

/**
 * JSON to values, with numbers kept as written: one that a double cannot give back becomes a LosslessNumber.
 * Of two equal keys the last counts, as in JSON.parse; a byte order mark is passed over.
 * Throws SyntaxError, also where brackets are nested deeper than 512 levels.
 */
export function parseJson(text: string): unknown {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (!scan(body)) return JSON.parse(body) as unknown;
  return parse(body, undefined, {
    parseNumber(digits) {
      const value = Number(digits);
      // -0 is written as 0
      return String(value) === digits ? value : new LosslessNumber(digits);
    },
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/** The JSON text of a value from `parseJson`, numbers as they were written. */
export function writeJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/**
 * Digits of an integer given as a number (also 1.0 or 1E3), a LosslessNumber or a string of digits; undefined for
 * anything else.
 */
export function integerDigits(value: unknown): string | undefined {
  if (typeof value === 'string') return INTEGER.test(value) ? value : undefined;
  if (typeof value !== 'number' && !isLosslessNumber(value)) return undefined;
  const text = String(value);
  if (INTEGER.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? BigInt(number).toString() : undefined;
}

const INTEGER = /^-?\d{1,20}$/;

/** A LosslessNumber as the number it reads as; anything else as it is. For fields that are numbers, not quoted JSON. */
export function plainNumber(value: unknown): unknown {
  return isLosslessNumber(value) ? Number(String(value)) : value;
}

/** Is there a risky number outside of strings? Throws where brackets are nested too deep. */
function scan(text: string): boolean {
  let depth = 0;
  let risky = false;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    for (let i = at; i < end; i += 1) {
      const sign = text.charCodeAt(i) | 0x20; // [ and {, ] and } differ by this bit
      if (sign === 0x7b) {
        depth += 1;
        if (depth > MAX_DEPTH) {
          throw new SyntaxError(`JSON nested deeper than ${MAX_DEPTH} levels at position ${i}`);
        }
      } else if (sign === 0x7d) depth -= 1;
    }
    risky ||= end - at > 1 && RISKY_NUMBER.test(text.slice(at, end));
    if (quote === -1) break;
    at = endOfString(text, quote);
  }
  return risky;
}

/** The position after a string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    if ((quote - 1 - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}
