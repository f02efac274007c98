import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { getEncoding } from 'js-tiktoken';
import { describe, expect, it } from 'vitest';
import { coldTokenCounter, type TokenCounter, tokenCounter } from './token-counter.js';
import { nextPieceOf } from './split-pieces.js';
import { NO_RANK, vocabulary } from './vocabulary.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const samples = readdirSync(fixtures).map((name) => ({
  name,
  text: readFileSync(new URL(name, fixtures), 'utf8'),
}));

const oracles = { o200k_base: getEncoding('o200k_base'), cl100k_base: getEncoding('cl100k_base') };
const counters = { o200k_base: tokenCounter('gpt-4o'), cl100k_base: tokenCounter('gpt-4') };

function exact(counter: TokenCounter, text: string): number {
  return oracles[counter.encoding].encode(text, [], []).length;
}

/** Byte pair merging as it is defined, quadratic, over the vocabulary whose counts the oracle confirms elsewhere. */
function mergedAtOnce(counter: TokenCounter, text: string): number {
  const tokens = vocabulary(counter.encoding);
  let total = 0;
  for (let from = 0; from < text.length; ) {
    const to = nextPieceOf(counter.encoding)(text, from, text.length);
    const bytes = Buffer.from(text.slice(from, to));
    const cuts = Array.from({ length: bytes.length + 1 }, (_, i) => i);
    const rank = (i: number): number =>
      i + 2 < cuts.length ? tokens.rankOf(bytes, cuts[i] ?? 0, cuts[i + 2] ?? 0) : NO_RANK;
    const ranks = cuts.map((_, i) => rank(i));
    for (;;) {
      let best = 0;
      for (let i = 1; i < ranks.length; i++) if ((ranks[i] ?? NO_RANK) < (ranks[best] ?? NO_RANK)) best = i;
      if (ranks[best] === NO_RANK) break;
      cuts.splice(best + 1, 1);
      ranks.splice(best + 1, 1);
      ranks[best] = rank(best);
      if (best > 0) ranks[best - 1] = rank(best - 1);
    }
    total += cuts.length - 1;
    from = to;
  }
  return total;
}

// Characters at which the split patterns turn: cases, caseless letters, marks, digits, every kind of space, quotes.
const turning = fc.string({
  unit: fc.constantFrom(
    ..."aBs'tLlvRED 0٣½/.-{\t\r\n\u00a0\u2028\ufeff\u0085éЖжїǅʰ中ー\u0301\u0903नि👍🏽\u200d",
    '  ',
    "'ll",
    '\n\n',
    '👨‍👩‍👧',
    '🇺🇦',
    '\ud83d',
    '\udc4d',
    'ſ',
    '\u212a',
    '<|endoftext|>',
  ),
  maxLength: 40,
});

describe.each([counters.o200k_base, counters.cl100k_base])('counting in $encoding', (counter) => {
  it.each(samples)('equals js-tiktoken on $name', ({ text }) => {
    expect(counter.count(text)).toBe(exact(counter, text));
    for (let from = 0; from < text.length; from += 97)
      expect(counter.count(text.slice(from, from + 61))).toBe(exact(counter, text.slice(from, from + 61)));
  });

  it('equals js-tiktoken on any text', () => {
    fc.assert(
      fc.property(fc.oneof(turning, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
        expect(counter.count(text)).toBe(exact(counter, text));
      }),
      { numRuns: 3000, seed: 1 },
    );
  });

  it('equals js-tiktoken on unbroken runs that are merged at once', () => {
    for (const [unit, units] of [
      ['a', 600],
      ['Ab', 400],
      ['ї', 500],
      ['中文字', 400],
      ['=', 700],
      [' ', 900],
      ['\n', 900],
      ['👍🏽', 150],
      ['e\u0301', 300],
      ['qzjxkvwypf', 700],
    ] as const) {
      const text = unit.repeat(Math.ceil(units / unit.length));
      expect(counter.count(text), JSON.stringify(unit)).toBe(exact(counter, text));
    }
  });

  it('is an upper bound within 5% of js-tiktoken on unbroken runs of thousands of characters', () => {
    const bytes = Buffer.from(Array.from({ length: 2_400 }, (_, at) => (at * at * 31 + at) % 251));
    for (const run of [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      'function(e,t){return e.a(t)||t.b(e,{c:1,d:!0})};'.repeat(60),
      `https://example.org/${'x1-y2_z/'.repeat(380)}`,
      `{"k":${'[1,22,333],'.repeat(280)}0}`,
      'ABCDEFGH0123'.repeat(250),
      '_'.repeat(3_000),
      '👩‍👩‍👧‍👦🇺🇦'.repeat(60),
    ]) {
      const whole = exact(counter, run);
      expect(counter.count(run), run.slice(0, 40)).toBeGreaterThanOrEqual(whole);
      expect(counter.count(run), run.slice(0, 40)).toBeLessThanOrEqual(Math.ceil(whole * 1.05));
    }
  });

  it('equals one merge of the whole on runs that are merged in windows', () => {
    const run = fc
      .tuple(
        fc.constantFrom(
          'a',
          'abc',
          'etaoinshrdlu',
          'привітсвято',
          '的一是不了人',
          '-=',
          ' \u00a0',
          '\u0301',
          '👨👩🇺🇦',
        ),
        fc.constantFrom(1, 3, 7, 50, 9000),
        fc.infiniteStream(fc.nat()),
      )
      .map(([alphabet, period, numbers]) => {
        const units = [...alphabet];
        const pattern = [...numbers.take(period)].map((n) => units[n % units.length]).join('');
        return pattern
          .repeat(Math.ceil(9000 / pattern.length))
          .slice(0, 9000 / Buffer.byteLength(units[0] ?? ''));
      });
    fc.assert(
      fc.property(run, (text) => {
        expect(counter.count(text)).toBe(mergedAtOnce(counter, text));
      }),
      { numRuns: 12, seed: 3 },
    );
  });

  it('counts the same with an empty memo as with a full one', () => {
    const cold = coldTokenCounter(counter.encoding);
    for (const { text } of samples) expect(cold.count(text)).toBe(counter.count(text));
  });
});

describe('counting what breaks other counters', () => {
  it('takes special-token literals as ordinary text', () => {
    expect(tokenCounter().count('log line <|endoftext|> end')).toBe(10);
    for (const literal of ['<|endoftext|>', '<|im_start|>user', '<|fim_prefix|>', '<|endofprompt|>'])
      for (const counter of Object.values(counters))
        expect(counter.count(`training line ${literal} x`)).toBe(
          exact(counter, `training line ${literal} x`),
        );
  });

  it('does not throw on lone surrogates and NUL', () => {
    for (const text of ['\ud83d', '\udc4d', 'a\ud83db', '\ud83d'.repeat(5000), '\0\0\u0001'])
      expect(tokenCounter().count(text)).toBeGreaterThan(0);
    expect(tokenCounter().count('')).toBe(0);
  });

  it('does not take Cyrillic or Chinese for four characters a token', () => {
    const ukrainian = samples.find(({ name }) => name === 'ukrainian.txt')?.text ?? '';
    const prose = ukrainian.repeat(Math.ceil(3400 / ukrainian.length)).slice(0, 3400);
    for (const counter of Object.values(counters)) {
      expect(counter.count(prose)).toBe(exact(counter, prose));
      expect(counter.count(prose)).toBeGreaterThan(prose.length / 4);
    }
  });
});

describe('margins', () => {
  it('multiplies the count and rounds up', () => {
    const counter = coldTokenCounter('o200k_base', 1.35);
    expect(counter.count('one two three')).toBe(Math.ceil(3 * 1.35));
    expect(counter.count('')).toBe(0);
  });

  it('does not make a token of a rounding error', () => {
    expect(coldTokenCounter('o200k_base', 1.1).count(' a'.repeat(10))).toBe(11);
  });

  it('keeps head and tail within the limit with the margin included', () => {
    const counter = coldTokenCounter('cl100k_base', 1.7);
    for (let n = 0; n < 60; n++)
      for (const { text } of samples) {
        expect(counter.count(counter.head(text, n))).toBeLessThanOrEqual(n);
        expect(counter.count(counter.tail(text, n))).toBeLessThanOrEqual(n);
      }
  });

  it('refuses a margin below 1', () => {
    expect(() => coldTokenCounter('o200k_base', 0.9)).toThrow(/below 1/);
    expect(() => coldTokenCounter('o200k_base', Number.NaN)).toThrow(/below 1/);
  });
});

describe('the shared counters', () => {
  it('are one object for each encoding and margin', () => {
    expect(tokenCounter('gpt-4o')).toBe(tokenCounter('o3-mini'));
    expect(tokenCounter()).toBe(tokenCounter(null));
    expect(tokenCounter()).toBe(tokenCounter('gpt-4o'));
    expect(tokenCounter('some-new-model')).not.toBe(tokenCounter());
  });
});
