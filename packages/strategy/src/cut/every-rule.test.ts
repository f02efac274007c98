import { tokenCounter } from '@palimpsest/tokens';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContentType, cut, detectContentType, wellFormed } from './index.js';
import { samplesByType } from './samples-by-type.js';

const counter = tokenCounter();
const HANDLE = 'a1b2c3';
const seed = 20_261;
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const caps = [0, 1, 2, 3, 5, 8, 13, 20, 35, 60, 100, 150, 200];

const types = Object.entries(samplesByType).map(([type, samples]) => ({
  type: type as ContentType,
  samples,
}));

const SEVERAL = /[\p{M}\p{Emoji_Modifier}\u200D\p{Regional_Indicator}]/u;
const clustersOf = new Map<string, Set<string>>();

function clusters(text: string): Set<string> {
  const known = clustersOf.get(text);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const { segment } of segmenter.segment(text)) if (SEVERAL.test(segment)) found.add(segment);
  clustersOf.clear();
  clustersOf.set(text, found);
  return found;
}

/** Grapheme clusters of more than one code point that a rendition shows and its original does not have. */
function tornClusters(rendition: string, original: string): string[] {
  if (!SEVERAL.test(rendition)) return [];
  const whole = clusters(original);
  return Array.from(segmenter.segment(rendition), ({ segment }) => segment).filter(
    (cluster) => SEVERAL.test(cluster) && !whole.has(cluster),
  );
}

describe.each(types)('$type', ({ type, samples }) => {
  const natural = Object.entries(samples.natural);
  const random = fc
    .array(fc.constantFrom(...samples.parts), { maxLength: 80 })
    .map((parts) => wellFormed(parts.join(samples.between)));

  it.each(natural)('is told from the text alone: %s', (_, text) => {
    expect(detectContentType({ text })).toBe(type);
  });

  it.each(natural)('is cut by its own rule to any cap, in form: %s', (_, text) => {
    for (const maxTokens of caps) {
      const result = cut({ text }, { maxTokens, counter, handle: HANDLE });
      expect(counter.count(result.text)).toBe(result.tokens);
      expect(result.tokens, `cap ${maxTokens}`).toBeLessThanOrEqual(maxTokens);
      expect(result.text).toBe(wellFormed(result.text));
      expect(tornClusters(result.text, text)).toEqual([]);
      if (result.type === type && maxTokens > 0)
        expect(samples.fault(result.text, text), `cap ${maxTokens}`).toBeNull();
      if (maxTokens >= 100) {
        expect(result.type).toBe(type);
        expect(result.cut).toBe(true);
        expect(result.dropped).toMatch(/\S/);
        expect(result.text, 'the handle of the original').toContain(HANDLE);
      }
      const again = cut({ text: result.text, type: result.type }, { maxTokens, counter, handle: HANDLE });
      expect(again.text).toBe(result.text);
    }
  });

  it('holds cap, form, characters and idempotence on any text put together of its parts', () => {
    fc.assert(
      fc.property(random, fc.integer({ min: 0, max: 90 }), fc.boolean(), (text, maxTokens, named) => {
        const options = { maxTokens, counter, handle: named ? HANDLE : null };
        for (const input of [{ text }, { text, type }]) {
          const result = cut(input, options);
          expect(counter.count(result.text)).toBeLessThanOrEqual(maxTokens);
          expect(result.tokens).toBe(counter.count(result.text));
          expect(result.text).toBe(wellFormed(result.text));
          expect(tornClusters(result.text, text)).toEqual([]);
          if (result.cut && result.type === type && maxTokens > 0)
            expect(samples.fault(result.text, text)).toBeNull();
          if (!result.cut) expect(result.text).toBe(text);
          expect(cut({ text: result.text, type: result.type }, options).text).toBe(result.text);
          const half = Math.floor(maxTokens / 2);
          const again = cut({ text: result.text, type: result.type }, { ...options, maxTokens: half });
          expect(again.tokens).toBeLessThanOrEqual(half);
          if (again.cut && again.type === type && half > 0)
            expect(samples.fault(again.text, result.text)).toBeNull();
        }
      }),
      { seed, numRuns: 120 },
    );
  });

  it('keeps cap and characters in hostile texts', () => {
    for (const [name, make] of Object.entries(samples.hostile)) {
      const text = make(6_000);
      for (const maxTokens of [1, 40, 200]) {
        const result = cut({ text }, { maxTokens, counter, handle: HANDLE });
        expect(result.tokens, name).toBeLessThanOrEqual(maxTokens);
        if (result.cut && result.type === type) expect(samples.fault(result.text, text), name).toBeNull();
      }
    }
  });
});
