import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesOf } from './names.js';

describe('names in running text', () => {
  it.each([
    ['Please write to Marta Koval about it.', ['Marta Koval']],
    ['The person in charge is Ostap Hnatyuk-Moroz.', ['Ostap Hnatyuk-Moroz']],
    ['Передайте Ивану Петрову и Оксані Шевченко.', ['Ивану Петрову', 'Оксані Шевченко']],
    ["Зателефонуйте пану Дем'яну Різнику.", ["Дем'яну Різнику"]],
    ['Dr Anna Weiss said so.', ['Dr Anna Weiss']],
    ['Hi Anna, thanks. Привіт Олено!', []],
    ['Nothing here is a name; the WHOLE thing is shouted.', []],
    ['東京で会いましょう', []],
  ])('of "%s" are %j', (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  it('stand in the text as they are given, on any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const name of namesOf(text)) expect(text.replaceAll('\u00a0', ' ')).toContain(name);
      }),
    );
  });

  it('are found in time linear in the text', () => {
    least(100_000);
    expect(least(1_000_000)).toBeLessThan(20 * Math.max(least(100_000), 1));
  });
});

/** The least of several: what else the machine does only adds to it. */
function least(length: number): number {
  return Math.min(...Array.from({ length: 5 }, () => time(length)));
}

function time(length: number): number {
  const text = 'Aa '.repeat(length / 3);
  const start = performance.now();
  namesOf(text);
  return performance.now() - start;
}
