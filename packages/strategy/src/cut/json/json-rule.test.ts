import { tokenCounter } from '@palimpsest/tokens';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../cut.js';

const counter = tokenCounter();

function cutTo(text: string, maxTokens: number, more: { handle?: string; jsonFields?: string[] } = {}) {
  return cut({ text }, { maxTokens, counter, ...more });
}

function rows(count: number, more: object = {}): string {
  return JSON.stringify({
    total: count,
    next: null,
    items: Array.from({ length: count }, (_, id) => ({ id, status: 'open', ...more })),
  });
}

describe('cutting JSON', () => {
  it('gives valid JSON at every cap from one token', () => {
    const text = rows(60, { body: 'long text '.repeat(40), tags: [], user: { login: 'ann', site: '' } });
    for (let maxTokens = 1; maxTokens < 400; maxTokens += maxTokens < 40 ? 1 : 23) {
      const result = cutTo(text, maxTokens, { handle: 'abc' });
      expect(result.tokens).toBeLessThanOrEqual(maxTokens);
      expect(() => JSON.parse(result.text), `cap ${maxTokens}: ${result.text}`).not.toThrow();
    }
    expect(cutTo(text, 0).text).toBe('');
  });

  it('only drops white space when that is enough', () => {
    const value = { a: 1, b: null, list: [{ c: '' }, {}] };
    const text = JSON.stringify(value, null, 8);
    expect(cutTo(text, counter.count(text) - 5).text).toBe(JSON.stringify(value));
  });

  it('keeps numbers as written', () => {
    const numbers = '"big":12345678901234567890,"one":1.0,"huge":1e400,"tiny":-0.10E-7';
    const result = cutTo(`{${numbers},"text":"${'word '.repeat(600)}"}`, 120);
    expect(result.text).toContain(numbers);
  });

  it('drops members without information first and counts them', () => {
    const text = rows(3, { empty: null, none: '', list: [], nested: { deep: { gone: null } } });
    const result = cutTo(text, 70);
    expect(JSON.parse(result.text)).toMatchObject({ total: 3, items: [{ id: 0 }, { id: 1 }, { id: 2 }] });
    expect(result.dropped).toContain('13 empty values');
  });

  it('keeps the first items of a long array and counts the rest', () => {
    const { items } = JSON.parse(cutTo(rows(200), 150).text) as { items: unknown[] };
    expect(items[0]).toEqual({ id: 0, status: 'open' });
    expect(items.at(-1)).toBe(`… ${200 - (items.length - 1)} more items`);
  });

  it('counts on when it is cut again', () => {
    const once = cutTo(rows(200), 150).text;
    const { items } = JSON.parse(cutTo(once, 80).text) as { items: unknown[] };
    expect(items.at(-1)).toBe(`… ${200 - (items.length - 1)} more items`);
  });

  it('keeps short identifying values rather than long strings', () => {
    const text = JSON.stringify({
      intro: 'x y '.repeat(900),
      order_id: 'A-55',
      meta: { amount: '12.50', due: '2026-01-02' },
    });
    const result = cutTo(text, 80, { handle: 'h1' });
    expect(JSON.parse(result.text)).toMatchObject({
      order_id: 'A-55',
      meta: { amount: '12.50', due: '2026-01-02' },
    });
    expect(result.text).toContain('artifact h1');
  });

  it('keeps the order of keys and the last of duplicates', () => {
    const result = cutTo(`{"z":1,"a":2,"z":3,"text":"${'word '.repeat(600)}"}`, 60);
    expect(result.text).toMatch(/^\{"a":2,"z":3,"text":/);
  });

  it('projects on the fields asked for', () => {
    const text = rows(50, { body: 'b '.repeat(200), user: { login: 'ann', id: 7 } });
    const result = JSON.parse(cutTo(text, 200, { jsonFields: ['items.user.login'] }).text) as {
      items: object[];
    };
    expect(result.items[0]).toEqual({ user: { login: 'ann' } });
    expect(JSON.parse(cutTo(text, 200, { jsonFields: ['nowhere'] }).text)).toHaveProperty('total', 50);
  });

  it('cuts a stack trace inside a string by its own rule', () => {
    const frames = '\tat org.springframework.A.b(A.java:1)\n'.repeat(80);
    const error = `java.lang.RuntimeException: outer\n${frames}Caused by: java.net.ConnectException: refused: db:5432\n${frames}`;
    const result = JSON.parse(cutTo(JSON.stringify({ status: 500, error }), 120).text) as { error: string };
    expect(result.error).toContain('Caused by: java.net.ConnectException: refused: db:5432');
    expect(result.error).toContain('RuntimeException: outer');
  });

  it('never shows the bytes of a data URL', () => {
    const result = cutTo(
      JSON.stringify({ id: 1, image: `data:image/png;base64,${'iVBORw0'.repeat(900)}` }),
      100,
    );
    expect(result.text).toContain('data:image/png;base64, … [6,300 more characters]');
  });

  it.each([
    ['a byte order mark', `\uFEFF${rows(100)}`],
    ['huge keys', JSON.stringify({ ['k'.repeat(40_000)]: 1, id: 2 })],
    ['escaped surrogates', `{"a":"${'\\ud83d\\ude00'.repeat(400)}","b":"${'\\ud83d'.repeat(400)}"}`],
    ['a long top-level string', JSON.stringify('word "quoted" '.repeat(400))],
    ['a long top-level number', `-${'9'.repeat(4_000)}.5`],
    ['deep nesting', '[{"a":'.repeat(20_000) + '1' + '}]'.repeat(20_000)],
  ])('handles %s', (_, text) => {
    for (const maxTokens of [1, 2, 5, 20, 80]) {
      const result = cut({ text, declaredType: 'application/json' }, { maxTokens, counter });
      expect(result.type).toBe('json');
      expect(result.tokens).toBeLessThanOrEqual(maxTokens);
      expect(() => JSON.parse(result.text), `cap ${maxTokens}: ${result.text}`).not.toThrow();
    }
  });

  it('leaves what is no JSON to plain text', () => {
    for (const text of [
      `{"a":1,}${' '.repeat(9)}`.repeat(200),
      `${rows(50).slice(0, -9)}`,
      '{"a":01}'.repeat(100),
    ]) {
      expect(cutTo(text, 40).type).toBe('text');
    }
  });

  it('cuts NDJSON and documents in a row line by line, broken lines counted', () => {
    const documents = Array.from({ length: 80 }, (_, id) => JSON.stringify({ id, level: 'info' }));
    for (const text of [`${documents.join('\n')}\n{"id":80,"lev`, documents.join('')]) {
      const result = cutTo(text, 90, { handle: 'nd' });
      const lines = result.text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(result.type).toBe('json');
      expect(lines[0]).toEqual({ id: 0, level: 'info' });
      const total = text.endsWith('lev') ? 81 : 80;
      expect(lines.at(-1)?.['…']).toContain(`${total - (lines.length - 1)} more lines`);
    }
  });

  it('is valid and within the cap for any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 1, max: 60 }), (text, maxTokens) => {
        const result = cut({ text, declaredType: 'application/json' }, { maxTokens, counter, handle: 'q' });
        expect(result.tokens).toBeLessThanOrEqual(maxTokens);
        JSON.parse(result.text);
      }),
      { seed: 41, numRuns: 400 },
    );
  });
});
