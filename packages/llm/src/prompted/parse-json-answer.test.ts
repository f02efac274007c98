import { describe, expect, it } from 'vitest';
import { isFactsShape } from './facts-schema.js';
import { parseJsonAnswer } from './parse-json-answer.js';

const parse = (answer: string) => parseJsonAnswer(answer, isFactsShape);
const fence = '`'.repeat(3);

describe('parseJsonAnswer (case 11 and its kin)', () => {
  it.each<[string, string, unknown[]]>([
    [
      'keeps a fence inside a value',
      JSON.stringify({ facts: [{ key: 'snippet', value: `${fence}python\nx = 1\n${fence}` }] }),
      [{ key: 'snippet', value: `${fence}python\nx = 1\n${fence}` }],
    ],
    [
      'reads a fence with prose after it',
      `${fence}json\n{"facts":[{"key":"city"}]}\n${fence}\nI found one fact.`,
      [{ key: 'city' }],
    ],
    ['reads a fence with prose before it', `Sure:\n${fence}\n{"facts":[]}\n${fence}`, []],
    [
      'passes over an unrelated fence',
      `${fence}bash\nls\n${fence}\n{"facts":[{"key":"shell"}]}`,
      [{ key: 'shell' }],
    ],
    ['passes over an unrelated object', `{"thought":"hm"}\n{"facts":[{"key":"a"}]}`, [{ key: 'a' }]],
    [
      'reads a fence inside a value inside a fence',
      `${fence}json\n{"facts":["${fence}x${fence}"]}\n${fence}`,
      [`${fence}x${fence}`],
    ],
    ['reads a fence that was never closed', `${fence}json\n{"facts":[]}`, []],
    ['reads an object between words', 'Here: {"facts":["a}b"]} ok {', ['a}b']],
    ['repairs Python literals', "{'facts': [{'a': None, 'b': True}]}", [{ a: null, b: true }]],
    ['repairs a raw line break in a string', '{"facts":["a\nb"]}', ['a\nb']],
    ['repairs a trailing comma', '{"facts":["a",]}', ['a']],
    ['reads past a byte order mark', '\uFEFF{"facts":[]}', []],
  ])('%s', (_name, answer, facts) => {
    expect(parse(answer)).toEqual({ ok: true, value: { facts } });
  });

  it.each([
    ['nothing', ''],
    ['prose', 'I cannot do that.'],
    ['an object cut off behind a whole fact', '{"facts":[{"key":"a"}'],
    ['an object cut off inside a string that ends with a brace', '{"facts":[{"key":"a}'],
    ['a fence that holds a cut-off object', `${fence}json\n{"facts":[{"key":"a"},\n${fence}`],
  ])('refuses %s', (_name, answer) => {
    expect(parse(answer)).toMatchObject({ ok: false });
  });
});
