import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtSentence, LONGEST_SENTENCE, splitSentences } from './sentences.js';

describe('splitSentences', () => {
  it.each([
    ['I paid. It failed! Why?', ['I paid.', 'It failed!', 'Why?']],
    [
      'Сумма 5 тыс. руб. за ул. Ленина, т. е. много. Вот.',
      ['Сумма 5 тыс. руб. за ул. Ленина, т. е. много.', 'Вот.'],
    ],
    ['Ціна 1.5 млн. Так… Добре.', ['Ціна 1.5 млн. Так…', 'Добре.']],
    ['我要退货。订单号是A-1。谢谢！', ['我要退货。', '订单号是A-1。', '谢谢！']],
    ['see example.com for v1.2\nnext line', ['see example.com for v1.2', 'next line']],
  ])('splits %j', (text, expected) => {
    expect(splitSentences(text)).toEqual(expected);
  });

  it('keeps every character but white space, and no sentence is too long', () => {
    const unit = fc.constantFrom('a', ' ', '.', '! ', '\n', 'ї', '。', '😀', 'ก', '้', 'word ', '👩‍👩‍👧');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 1500 }), (parts) => {
        const text = parts.join('');
        const sentences = splitSentences(text);
        expect(sentences.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
        for (const sentence of sentences) {
          expect(sentence.length).toBeLessThanOrEqual(LONGEST_SENTENCE);
          expect(sentence.isWellFormed?.() ?? true).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});

const length = (text: string): number => text.length;

describe('cutAtSentence', () => {
  it('keeps whole sentences and lines up to the limit', () => {
    expect(cutAtSentence('One. Two.\nThree. Four.', 17, length)).toBe('One. Two.\nThree.');
    expect(cutAtSentence('Too long to fit.', 5, length)).toBe('');
    expect(cutAtSentence('Fits.', 5, length)).toBe('Fits.');
  });
});
