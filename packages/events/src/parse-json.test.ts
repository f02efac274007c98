import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integerDigits, parseJson, plainNumber, writeJson } from './parse-json.js';

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
/** Any number that JSON can write. */
const anyNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(0, 25).map((rest) => `9${rest}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 25).map((fraction) => `.${fraction}`),
      fc.nat(12).map((zeros) => `.${'0'.repeat(zeros)}5`),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits(1, 3)).map((both) => both.join('')),
    ),
  )
  .map((pieces) => pieces.join(''));
const anyKey = fc.oneof(
  fc.string({ unit: 'binary' }).filter((key) => !/^\d+$/.test(key)),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', '\\"', 'a\\'),
);
/** Compact JSON text, in the one form in which JSON.stringify would write its strings. */
const anyJsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyNumber,
    fc.oneof(fc.string({ unit: 'binary' }), anyNumber, anyKey).map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(anyKey, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
})).value;

describe('JSON that is read and written again', () => {
  it('is the same text', () => {
    fc.assert(
      fc.property(anyJsonText, (text) => {
        expect(writeJson(parseJson(text))).toBe(text);
      }),
      { seed: 20260104, numRuns: 1200 },
    );
  });

  it('has any number alone as it was written', () => {
    fc.assert(
      fc.property(anyNumber, (text) => {
        expect(writeJson(parseJson(text))).toBe(text);
        expect(writeJson(parseJson(` [ ${text} , "x" ] `))).toBe(`[${text},"x"]`);
      }),
      { seed: 20260105, numRuns: 1200 },
    );
  });

  it.each([
    '12345678901234567890',
    '1.10',
    '1e400',
    '-0',
    '1E5',
    '0.1',
    '-0.0',
    '1e-400',
    '9007199254740993',
    '9007199.254740993',
    '0.0000001',
    '1e21',
    '100',
    '1.0',
  ])('keeps %s at any depth', (number) => {
    const text = `{"a":[{"b":${number}},"${number}"],"c":${number}}`;
    expect(writeJson(parseJson(text))).toBe(text);
  });

  it('has the values of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value, null, 2);
        expect(JSON.parse(writeJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
      { seed: 20260106, numRuns: 500 },
    );
  });

  it.each(['', '1', '1.50'])('keeps __proto__ as a key like any other, beside the number "%s"', (number) => {
    const text = `{"__proto__":{"admin":true}${number === '' ? '' : `,"n":${number}`}}`;
    const value = parseJson(text) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('admin' in value).toBe(false);
    expect(writeJson(value)).toBe(text);
  });

  it('takes a look-alike of a kept number as the object it is', () => {
    const text = '{"isLosslessNumber":true,"value":"1,\\"x\\":2","n":1.0}';
    expect(writeJson(parseJson(text))).toBe(text);
  });

  it.each(['1', '1.0'])(
    'lets the last of two equal keys count, whatever else is in the text (%s)',
    (number) => {
      expect(writeJson(parseJson(`{"a":1,"a":{"b":2},"n":${number}}`))).toBe(`{"a":{"b":2},"n":${number}}`);
    },
  );

  it.each(['{"a":1}', '{"a":1.0}'])('passes over a byte order mark before %s', (text) => {
    expect(writeJson(parseJson(`\ufeff${text}`))).toBe(text);
  });

  it.each(['', ' ', '{', '[1,]', '{"a":1.0', '01.0', '1.', '"', '"\\"', '[1.0', 'NaN', "{'a':1}", '\ufeff'])(
    'is no JSON: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('deep nesting', () => {
  it.each(['[', '{"a":', '[{"a":1.0,"b":'])(
    'of 100,000 levels of %s is refused with a clear error',
    (open) => {
      expect(() => parseJson(open.repeat(100_000))).toThrow(/nested deeper than 512 levels/);
      expect(() => parseJson(open.repeat(100_000))).toThrow(SyntaxError);
    },
  );

  it.each(['1', '1.0'])('of 512 levels is read and written (%s)', (number) => {
    const text = `${'['.repeat(512)}${number}${']'.repeat(512)}`;
    expect(writeJson(parseJson(text))).toBe(text);
    expect(() => parseJson(`[${text}]`)).toThrow(SyntaxError);
  });

  it('is not what brackets in strings or side by side are', () => {
    const text = JSON.stringify([
      '['.repeat(2000),
      '"\\"['.repeat(2000),
      Array.from({ length: 2000 }, () => []),
    ]);
    expect(writeJson(parseJson(text))).toBe(text);
  });
});

describe('a field that is a number', () => {
  it.each([
    ['1', '1'],
    ['1.0', '1'],
    ['1E3', '1000'],
    ['-0', '-0'],
    ['9007199254740993', '9007199254740993'],
    ['"9223372036854775807"', '9223372036854775807'],
    ['1.5', undefined],
    ['1e400', undefined],
    ['"1.0"', undefined],
    ['""', undefined],
    ['null', undefined],
    ['{"isLosslessNumber":true,"value":"1"}', undefined],
  ])('%s has the digits %s', (text, expected) => {
    expect(integerDigits(parseJson(text))).toBe(expected);
  });

  it('is plain where the number was kept, and anything else as it is', () => {
    expect(plainNumber(parseJson('1.0'))).toBe(1);
    expect(plainNumber('1.0')).toBe('1.0');
  });
});
