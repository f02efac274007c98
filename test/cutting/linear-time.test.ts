import { cut } from '@palimpsest/strategy';
import { samplesByType } from '@palimpsest/strategy/testing';
import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { growth } from './growth.js';

const counter = tokenCounter();
const SIZE = 10_000;
/** Ten times the input may take twelve times as long. */
const MOST = 12;

const hostile = Object.entries(samplesByType).flatMap(([type, { hostile: texts, natural }]) => [
  ...Object.entries(texts).map(([name, make]) => ({ type, name, make })),
  ...Object.entries(natural).map(([name, text]) => ({
    type,
    name,
    make: (size: number) => text.repeat(Math.ceil(size / text.length)),
  })),
]);

describe('cutting takes time linear in the text', () => {
  it.each(hostile)('$type: $name', ({ make }) => {
    const texts = new Map([SIZE, 10 * SIZE].map((size) => [size, make(size)]));
    const act = (size: number) => {
      const result = cut({ text: texts.get(size) ?? '' }, { maxTokens: 400, counter, handle: 'x' });
      expect(result.tokens).toBeLessThanOrEqual(400);
    };
    expect(growth(act, SIZE, MOST)).toBeLessThanOrEqual(MOST);
  });
});
