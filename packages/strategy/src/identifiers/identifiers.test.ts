import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifiersOf } from './identifiers.js';

describe('identifiersOf', () => {
  it.each([
    ['My order is ORD-12345, paid $1,299.50 on 2024-05-01.', ['ORD-12345', '$1,299.50', '2024-05-01']],
    ['Мой заказ №77123, сумма 1 250,50 грн, срок 15 мая 2024.', ['№77123', '1 250,50 грн', '15 мая 2024']],
    [
      'Замовлення AB-77 до 3 травня, пишіть на olha.k@example.ua!',
      ['AB-77', '3 травня', 'olha.k@example.ua'],
    ],
    ['订单号AB-12345已发货,2024年5月3日', ['AB-12345', '2024年5月3日']],
    [
      'See https://example.com/a?b=1 and src/app/main.ts:42.',
      ['https://example.com/a?b=1', 'src/app/main.ts:42'],
    ],
    ['file /var/log/app.log, C:\\temp\\x.txt, ./run.sh', ['/var/log/app.log', 'C:\\temp\\x.txt', './run.sh']],
    ['call +380 50 123-45-67 at 10:30', ['+380 50 123-45-67', '10:30']],
    ['id=77123&x=2 and 15% off, v1.2.3', ['77123', '15%', 'v1.2.3']],
    ['7f3c1d2e-0a1b-4c5d-8e9f-001122334455', ['7f3c1d2e-0a1b-4c5d-8e9f-001122334455']],
    ['I have 2 cats and/or 12 dogs, the 3rd is old.', []],
  ])('finds in %j what a person would cite', (text, expected) => {
    expect(identifiersOf(text)).toEqual(expected);
  });

  it('gives only pieces of the text, each once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const found = identifiersOf(text);
        expect(new Set(found).size).toBe(found.length);
        for (const one of found) expect(text).toContain(one);
      }),
    );
  });

  it.each(['a', '1', '1,', '$', '@', 'a@', 'a.', './', '/', 'x=1&', '1 ', '+1', '-', '年', 'ж1'])(
    'takes time in proportion to the length of a run of %j',
    (unit) => {
      // The least of several: what else the machine does only adds to it.
      const time = (length: number): number => {
        const text = unit.repeat(length / unit.length);
        const times = [0, 1, 2].map(() => {
          const start = performance.now();
          identifiersOf(text);
          return performance.now() - start;
        });
        return Math.min(...times);
      };
      time(20_000);
      const short = Math.max(1, time(20_000));
      expect(time(200_000) / short).toBeLessThan(60); // 10 if linear, 100 if quadratic
    },
  );
});
