import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.js';

describe('readLines', () => {
  it('reads from 1, inclusive', () => {
    expect(readLines('a\nb\nc\n', 2, 3, 100)).toEqual({
      from: 2,
      to: 3,
      total: 3,
      text: 'b\nc',
      truncated: false,
    });
  });

  it('answers what there is of a stretch that goes past the end', () => {
    expect(readLines('a\nb', 2, 50, 100)).toEqual({ from: 2, to: 2, total: 2, text: 'b', truncated: false });
    expect(readLines('a\nb', 3, 50, 100)).toEqual({ from: 3, to: 2, total: 2, text: '', truncated: false });
    expect(readLines('', 1, 5, 100)).toEqual({ from: 1, to: 0, total: 0, text: '', truncated: false });
  });

  it('keeps a carriage return and an empty line', () => {
    expect(readLines('a\r\n\r\nb', 1, 2, 100).text).toBe('a\r\n\r');
  });

  it('cuts one endless line at its bound, between code points', () => {
    const cut = readLines('ї'.repeat(1000), 1, 1, 101);
    expect(cut).toEqual({ from: 1, to: 1, total: 1, text: 'ї'.repeat(50), truncated: true });
    expect(readLines('a😀', 1, 1, 3).text).toBe('a');
  });

  it('reads, line by line, all that was written', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const text = `${lines.join('\n')}\n`;
        const read = lines.map((_, at) => readLines(text, at + 1, at + 1, 10_000).text);
        expect(read).toEqual(lines);
        expect(readLines(text, 1, 10_000, 100_000).total).toBe(lines.length);
      }),
    );
  });

  it('never answers more bytes than its bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, bound) => {
        expect(Buffer.byteLength(readLines(text, 1, 100, bound).text)).toBeLessThanOrEqual(bound);
      }),
    );
  });
});
