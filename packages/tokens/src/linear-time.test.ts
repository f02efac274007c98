import { describe, expect, it } from 'vitest';
import { coldTokenCounter } from './token-counter.js';

function noise(length: number, alphabet: string): string {
  const characters = [...alphabet];
  let state = 12345;
  let out = '';
  while (out.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    out += characters[(state >>> 8) % characters.length];
  }
  return out;
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const families: Record<string, (length: number) => string> = {
  'one letter': (n) => 'a'.repeat(n),
  'random lower case': (n) => noise(n, 'abcdefghijklmnopqrstuvwxyz'),
  'upper case': (n) => noise(n, 'ABCDEFGH'),
  base64: (n) => noise(n, base64),
  'minified code': (n) =>
    'function(e,t){return e.a(t)||t.b(e,{c:1,d:!0})};var n=[];'.repeat(Math.ceil(n / 57)).slice(0, n),
  Chinese: (n) => noise(n, '的一是不了人我在有他这中大来上国和也子时道'),
  spaces: (n) => ' '.repeat(n),
  'mixed whitespace': (n) => `${noise(n - 1, ' \t\u00a0')}x`,
  newlines: (n) => '\n'.repeat(n),
  'newlines between spaces': (n) => '\n '.repeat(n / 2),
  punctuation: (n) => noise(n, '!?.,;:-=*#'),
  digits: (n) => '1234567890'.repeat(n / 10),
  'combining marks': (n) => `a${'\u0301'.repeat(n - 1)}`,
  emoji: (n) => '👨‍👩‍👧‍👦'.repeat(Math.ceil(n / 11)).slice(0, n),
  flags: (n) => '🇺🇦'.repeat(n / 4),
  'lone surrogates': (n) => '\ud83d'.repeat(n),
  apostrophes: (n) => "'l".repeat(n / 2),
  'one mark, then upper case': (n) => `\u0301${'A'.repeat(n - 1)}`,
};

function time(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

/** The least of three runs: what the machine did besides only adds. */
function least(act: () => void): number {
  return Math.min(time(act), time(act), time(act));
}

// A quadratic step shows as a ratio of 64 for 8 times the text; linear is 8. The floor keeps times of a few
// milliseconds, which are all noise, from deciding.
const NOISE_MS = 4;
const GENEROUS = 24;

describe.each(['o200k_base', 'cl100k_base'] as const)('time in %s', (encoding) => {
  const counter = coldTokenCounter(encoding);

  it.each(Object.entries(families))('of counting and cutting is linear on %s', (_, make) => {
    const short = make(10_000);
    const long = make(80_000);
    for (const act of [
      (text: string) => counter.count(text),
      (text: string) => counter.head(text, text.length / 20),
      (text: string) => counter.tail(text, text.length / 20),
    ]) {
      const ratio =
        least(() => act(long)) /
        Math.max(
          NOISE_MS,
          least(() => act(short)),
        );
      expect(ratio).toBeLessThan(GENEROUS);
    }
  });
});
