import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CLUSTER_UNITS, soundCutAfter, soundCutBefore } from './grapheme.js';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const text = fc.string({
  unit: fc.constantFrom(
    ...'aé中한\r\n\u0301\u200d\ufe0fकन्',
    'ᄀ',
    'ᅡ',
    'が',
    'か\u3099',
    '\u0600',
    '👩‍🚀',
    '🇺🇦',
    '🇵',
    '👍🏽',
    '\ud83d',
    '\udc4d',
  ),
  maxLength: 40,
});

describe('places where a text may be cut', () => {
  it('are the grapheme boundaries that segmenting the whole text gives', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const cuts = [...Array.from(segmenter.segment(whole), ({ index }) => index), whole.length];
        for (let at = 0; at <= whole.length; at++) {
          expect(soundCutBefore(whole, at)).toBe(cuts.findLast((cut) => cut <= at));
          expect(soundCutAfter(whole, at)).toBe(cuts.find((cut) => cut >= at));
        }
      }),
      { numRuns: 1000, seed: 4 },
    );
  });

  it('lie between whole flags however many stand in a row', () => {
    const flags = `a${'🇺🇦'.repeat(1500)}`;
    for (let at = 4000; at < 4040; at++) {
      expect((soundCutBefore(flags, at) - 1) % 4).toBe(0);
      expect((soundCutAfter(flags, at) - 1) % 4).toBe(0);
    }
  });

  it('lie between code points in a cluster too long to keep', () => {
    const marks = `a${'\ud834\udd65'.repeat(2000)}`; // a combining stem, outside the basic plane
    for (let at = 2 * MAX_CLUSTER_UNITS; at < 2 * MAX_CLUSTER_UNITS + 8; at++)
      for (const cut of [soundCutBefore(marks, at), soundCutAfter(marks, at)]) {
        expect(Math.abs(cut - at)).toBeLessThanOrEqual(MAX_CLUSTER_UNITS + 1);
        expect((cut - 1) % 2).toBe(0);
      }
  });

  it('are clamped to the text', () => {
    expect(soundCutBefore('ab', 9)).toBe(2);
    expect(soundCutBefore('ab', -1)).toBe(0);
    expect(soundCutAfter('ab', -1)).toBe(0);
  });
});
