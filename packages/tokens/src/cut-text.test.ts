import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CLUSTER_UNITS } from './grapheme.js';
import { coldTokenCounter, type TokenCounter } from './token-counter.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const samples = readdirSync(fixtures).map((name) => readFileSync(new URL(name, fixtures), 'utf8'));
const counters = [coldTokenCounter('o200k_base'), coldTokenCounter('cl100k_base')];

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Every place where the text may be cut, by segmenting all of it. */
function cuts(text: string): number[] {
  return [...Array.from(segmenter.segment(text), ({ index }) => index), text.length];
}

const nasty = fc.string({
  unit: fc.constantFrom(
    ...'aBtrL 0123/.\t\r\né中\u0301\u200d',
    '   ',
    '\r\n',
    "don't",
    'hello',
    ' світ',
    '👨‍👩‍👧',
    '🇺🇦',
    '👍🏽',
    'नि',
    '한',
    '\ud83d',
  ),
  maxLength: 30,
});
const text = fc.oneof(
  nasty,
  fc.constantFrom(...samples).map((sample) => sample.slice(0, 120)),
);

function longestHead(counter: TokenCounter, whole: string, limit: number): string {
  const end = cuts(whole).findLast((cut) => counter.count(whole.slice(0, cut)) <= limit) ?? 0;
  return whole.slice(0, end);
}

function longestTail(counter: TokenCounter, whole: string, limit: number): string {
  const start = cuts(whole).find((cut) => counter.count(whole.slice(cut)) <= limit) ?? whole.length;
  return whole.slice(start);
}

describe.each(counters)('cutting by tokens of $encoding', (counter) => {
  it('gives the longest prefix and suffix that fit and part no cluster', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 40 }), (whole, limit) => {
        expect(counter.head(whole, limit)).toBe(longestHead(counter, whole, limit));
        expect(counter.tail(whole, limit)).toBe(longestTail(counter, whole, limit));
      }),
      { numRuns: 3000, seed: 2 },
    );
  });

  it('splits a run of digits anew in a suffix', () => {
    // The text is 123|456|7, its suffix 234|567.
    expect(counter.tail('1234567', 2)).toBe('234567');
  });

  it('keeps all spaces of a run where one more makes it cheaper', () => {
    // 82 spaces are two tokens, 83 are one; the text itself splits them as 82 and " b".
    expect(counter.head(`a${' '.repeat(83)}b`, 2)).toBe(`a${' '.repeat(83)}`);
  });

  it('gives the text itself when it fits, and nothing for a limit of nothing', () => {
    for (const sample of samples) {
      const all = counter.count(sample);
      expect(counter.head(sample, all)).toBe(sample);
      expect(counter.tail(sample, all)).toBe(sample);
      for (const none of [0, -1, Number.NaN]) {
        expect(counter.head(sample, none)).toBe('');
        expect(counter.tail(sample, none)).toBe('');
      }
    }
  });

  it('uses nearly all of the limit in unbroken runs, and never more', () => {
    for (const unit of ['a', 'qzjxkv', '中文字', '=', ' ', '\n', 'e\u0301', '👨‍👩‍👧', '🇺🇦', '0', '\ud83d']) {
      const run = unit.repeat(12_000 / unit.length);
      const whole = counter.count(run);
      for (const share of [0.01, 0.3, 0.9]) {
        const limit = Math.ceil(whole * share);
        for (const part of [counter.head(run, limit), counter.tail(run, limit)]) {
          expect(counter.count(part)).toBeLessThanOrEqual(limit);
          expect(counter.count(part), JSON.stringify(unit)).toBeGreaterThanOrEqual(
            Math.floor(limit * 0.8) - 10,
          );
          // Whole clusters: the part is a number of units (the segmenter itself is asked in the property above).
          expect(part.length % unit.length).toBe(0);
        }
      }
    }
  });

  it('cuts a letter with thousands of marks between code points instead of losing it all', () => {
    const zalgo = `a${'\u0301\u0323'.repeat(5000)}`;
    for (const part of [counter.head(zalgo, 500), counter.tail(zalgo, 500)]) {
      expect(part.length).toBeGreaterThan(MAX_CLUSTER_UNITS);
      expect(counter.count(part)).toBeLessThanOrEqual(500);
    }
  });
});
