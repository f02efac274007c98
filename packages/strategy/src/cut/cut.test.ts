import { tokenCounter } from '@palimpsest/tokens';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, detectContentType, wellFormed } from './index.js';

const counter = tokenCounter();
const seed = 20_261;

const wild = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 400 }).map(wellFormed),
  fc.json({ maxDepth: 5 }),
);

describe('cut', () => {
  it('returns a text that fits byte for byte', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const result = cut({ text }, { maxTokens: counter.count(text), counter });
        expect(result.text).toBe(text);
        expect(result.cut).toBe(false);
        expect(result.dropped).toBeNull();
      }),
      { seed, numRuns: 150 },
    );
  });

  it('holds its cap on any string', () => {
    fc.assert(
      fc.property(wild, fc.integer({ min: 0, max: 60 }), (text, maxTokens) => {
        const once = cut({ text }, { maxTokens, counter, handle: 'art-1' });
        expect(counter.count(once.text)).toBeLessThanOrEqual(maxTokens);
        expect(once.text).toBe(wellFormed(once.text));
        expect(cut({ text: once.text, type: once.type }, { maxTokens, counter }).text).toBe(once.text);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('names the artifact when there is room for it', () => {
    const texts = {
      text: 'One sentence. '.repeat(400),
      json: JSON.stringify({ items: Array.from({ length: 300 }, (_, id) => ({ id })) }),
      html: `<html><body>${'<p>Some words here.</p>'.repeat(300)}</body></html>`,
      'stack-trace': `java.lang.Error: x\n${'\tat app.A.b(A.java:1)\n\tat app.C.d(C.java:2)\n'.repeat(200)}`,
      log: Array.from(
        { length: 300 },
        (_, at) => `2026-01-01 00:00:0${at % 10} INFO step ${'abcdefg'[at % 7]} done`,
      ).join('\n'),
      table: `id,name,price\n${Array.from({ length: 300 }, (_, at) => `${at},name ${at},${at * 3}`).join('\n')}`,
      code: Array.from(
        { length: 200 },
        (_, at) => `export function f${at}(): number {\n  return ${at};\n}`,
      ).join('\n'),
      markdown: Array.from({ length: 100 }, (_, at) => `## Part ${at}\n\nText of this part.\n`).join('\n'),
      binary: `data:image/png;base64,${'iVBORw0KGgo'.repeat(400)}`,
    };
    for (const [type, text] of Object.entries(texts)) {
      const result = cut({ text }, { maxTokens: 150, counter, handle: 'a-77' });
      expect(result.type).toBe(type);
      expect(result.text, type).toContain('artifact a-77');
    }
  });

  it('cuts no grapheme cluster in two', () => {
    const family = '👩‍👩‍👧‍👦';
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
    for (const text of [
      family.repeat(500),
      JSON.stringify({ a: family.repeat(500) }),
      JSON.stringify(family.repeat(99)).replaceAll(
        /[^\0-~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
      ),
    ]) {
      for (let maxTokens = 20; maxTokens < 60; maxTokens += 1) {
        const result = cut({ text }, { maxTokens, counter });
        const shown = [...segmenter.segment(result.text)].map(({ segment }) => segment);
        for (const segment of shown.filter((part) => part.includes('\u200D'))) expect(segment).toBe(family);
      }
    }
  });
});

describe('bytes in a text', () => {
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`;

  it('give way to their size before anything else does', () => {
    const result = cut(
      { text: `See ![chart](${url}) and tell me.` },
      { maxTokens: 80, counter, handle: 'a-77' },
    );
    expect(result.text).toBe(
      'See ![chart](data:image/png;base64,[… 2,200 characters]) and tell me.\n[… data URLs cut; full text: artifact a-77]',
    );
  });

  it('are not shown when they are all there is', () => {
    const { text } = cut({ text: url }, { maxTokens: 80, counter, handle: 'a-77' });
    expect(text).toMatch(
      /^\[… image\/png, about 1,650 bytes, sha256 [0-9a-f]{12}, about 1,600 tokens as an image, not shown; full text: artifact a-77\]$/,
    );
  });

  it('are not shown inside of JSON', () => {
    const body = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at * 31) % 251)).toString(
      'base64',
    );
    const { text } = cut({ text: JSON.stringify({ id: 7, body }) }, { maxTokens: 80, counter });
    expect(JSON.parse(text).id).toBe(7);
    expect(JSON.parse(text).body).toContain('base64 data, about 3,000 bytes');
  });
});

describe('detection', () => {
  it.each([
    ['{"a":1}', { tool: 'fetch_url' }, 'json'],
    ['<p>Hi', { tool: 'fetch_url' }, 'html'],
    ['a,b,c\n1,2,3', { tool: 'run_sql' }, 'table'],
    ['one\ntwo', { tool: 'get_logs' }, 'log'],
    ['one\ntwo', { declaredType: 'text/x-log' }, 'log'],
    ['{"a":1}', { declaredType: 'application/problem+json' }, 'json'],
    ['<r><a/></r>', { declaredType: 'application/soap+xml' }, 'xml'],
    ['@@ -1 +1 @@\n-a\n+b', { tool: 'git_diff' }, 'diff'],
    ['def f(x):', { tool: 'read_file' }, 'code'],
  ] as const)('takes %j with %j for %s', (text, known, type) => {
    expect(detectContentType({ text, ...known })).toBe(type);
  });

  it('believes content over a hint that cannot be', () => {
    expect(detectContentType({ text: '{"a":1}', tool: 'fetch_url' })).toBe('json');
    expect(detectContentType({ text: '{"a":1,}', declaredType: 'application/json' })).toBe('text');
    expect(detectContentType({ text: '<p>Hi', declaredType: 'text/html; charset=utf-8' })).toBe('html');
    expect(detectContentType({ text: 'at noon we met\nat one we ate' })).toBe('text');
    expect(detectContentType({ text: 'aaaa'.repeat(50_000) })).toBe('text');
  });
});

describe('wellFormed', () => {
  it('replaces NUL and lone surrogates and nothing else', () => {
    expect(wellFormed('a\0b\uD83Dc\uDE00d😀')).toBe('a\uFFFDb\uFFFDc\uFFFDd😀');
  });
});
