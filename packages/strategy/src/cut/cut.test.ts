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
  fc
    .array(
      fc.constantFrom(
        '<div>',
        '</p>',
        '<script>',
        '<!--',
        '-->',
        '<table><tr><td>',
        'a>b',
        '&lt;',
        '<nav>',
        '<svg><title>',
        'слово ',
        '<article>',
        ' x="',
      ),
      { maxLength: 80 },
    )
    .map((parts) => `<html>${parts.join('')}`),
  fc
    .array(
      fc.constantFrom(
        'java.lang.RuntimeException: a',
        '\tat app.A.b(A.java:1)',
        '\tat java.util.X.y(X.java:2)',
        'Caused by: x.Y: z',
        '\t... 3 more',
        'Traceback (most recent call last):',
        '  File "a.py", line 1, in f',
        '    f()',
        'ValueError: bad',
        '',
        'panic: oh',
        'goroutine 1 [running]:',
        'main.f(0x1)',
        '\t/a/b.go:3 +0x1',
        '  [cause]: Error: c',
        '    at f (/app/a.js:1:2)',
        'ERROR build failed',
        '👩‍👩‍👧‍👦 текст',
      ),
      { maxLength: 120 },
    )
    .map((lines) => lines.join('\n')),
  fc
    .array(
      fc.constantFrom('{"a":1}', '{"b":[1,2,{"c":null}]}', '[', '{"broken', '"…"', '{"…":"3 more keys"}'),
      { maxLength: 40 },
    )
    .map((lines) => lines.join('\n')),
);

describe('every rule', () => {
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

  it('never exceeds its cap, is idempotent, stays well-formed, and says what it dropped', () => {
    fc.assert(
      fc.property(wild, fc.integer({ min: 0, max: 120 }), fc.boolean(), (text, maxTokens, named) => {
        const options = { maxTokens, counter, handle: named ? 'art-1' : null };
        const once = cut({ text }, options);
        expect(counter.count(once.text)).toBeLessThanOrEqual(maxTokens);
        expect(once.tokens).toBe(counter.count(once.text));
        expect(once.text).toBe(wellFormed(once.text));
        expect(cut({ text: once.text, type: once.type }, options).text).toBe(once.text);
        const again = cut(
          { text: once.text, type: once.type },
          { ...options, maxTokens: Math.floor(maxTokens / 2) },
        );
        expect(again.tokens).toBeLessThanOrEqual(Math.floor(maxTokens / 2));
        if (once.cut) expect(once.dropped).not.toBe('');
        if (once.cut && once.type === 'json' && maxTokens > 0)
          for (const line of once.text.split('\n')) JSON.parse(line);
        if (again.cut && again.type === 'json' && maxTokens > 3)
          for (const line of again.text.split('\n')) JSON.parse(line);
      }),
      { seed, numRuns: 500 },
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

  it('takes linear time on hostile inputs', () => {
    const hostile: Record<string, (size: number) => string> = {
      'nested arrays': (size) => '['.repeat(size) + ']'.repeat(size),
      'nested objects': (size) => `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`,
      'unclosed objects': (size) => '{"a":['.repeat(size),
      'one string': (size) => JSON.stringify({ s: 'ab "\n'.repeat(size) }),
      'broken lines': (size) => '{"a":1}\n{"a":[\n'.repeat(size),
      'unclosed tags': (size) => `<html>${'<div><b>'.repeat(size)}${'</i></span>'.repeat(size)}`,
      'open brackets': (size) => `<html>${'<'.repeat(size * 4)}`,
      'frames of parentheses': (size) => `    at ${'(('.repeat(60)}:1\n`.repeat(size / 20),
      'many causes': (size) => 'Caused by: a.B: c\n\tat x.Y.z(Y.java:1)\n'.repeat(size / 4),
      'markers in markers': (size) => '[… 1 lines cut '.repeat(size),
      'stacked marks': (size) => `e${'\u0301'.repeat(size)}`,
    };
    for (const [name, make] of Object.entries(hostile)) {
      const time = (size: number) => {
        const text = make(size);
        const start = performance.now();
        const result = cut({ text }, { maxTokens: 200, counter, handle: 'x' });
        expect(result.tokens, name).toBeLessThanOrEqual(200);
        return performance.now() - start;
      };
      time(2_000);
      const small = time(4_000);
      // A quadratic rule would need hundreds of times as long; the constant allows for a busy machine.
      expect(time(40_000), name).toBeLessThan(60 * small + 400);
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

describe('detection', () => {
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
