import { it } from 'vitest';
import { readFileSync } from 'node:fs';
import { tokenCounter } from '@palimpsest/tokens';
import { cut } from './index.js';
const counter = tokenCounter();
const show = (name: string, text: string, caps: number[], extra: object = {}) => {
  for (const maxTokens of caps) {
    const t = performance.now();
    const r = cut({ text, ...extra }, { maxTokens, counter, handle: 'abc123', ...extra });
    console.log(
      `== ${name} cap ${maxTokens}: ${r.type} ${r.tokens} tokens, ${r.dropped} ${(performance.now() - t).toFixed(1)}ms\n${r.text}`,
    );
  }
};
it('plays', () => {
  const src = readFileSync(
    process.env.HOME_DATA + '/stacktraces/polyglot-fluent-detect-exceptions.rb.txt',
    'utf8',
  );
  for (const m of src.matchAll(/(\w+) = <<~?(\w+)\.freeze\n([\s\S]*?)\n *\2/g)) {
    const body = m[3]!.replace(/^ {4}/gm, '');
    const n = counter.count(body);
    if (/NODE|PYTHON|^GO|CSHARP|RUBY|NESTED/.test(m[1]!))
      show(m[1]!, body, [Math.min(150, Math.floor(n * 0.6))]);
  }
  const big: Record<string, (n: number) => string> = {
    json: (n) =>
      JSON.stringify(
        Array.from({ length: n }, (_, id) => ({
          id,
          name: 'n' + id,
          text: 'hello world '.repeat(10),
          tags: ['a', 'b'],
        })),
      ),
    html: (n) =>
      `<html><body>${'<div><p>Hello <b>world</b> &amp; all. </p><table><tr><td>a<td>b</table></div>'.repeat(n)}`,
    trace: (n) =>
      `java.lang.Error: x\n${Array.from({ length: n }, (_, i) => `\tat app.A${i}.b(A.java:1)\n\tat org.springframework.C.d(C.java:2)\nCaused by: a.b.C: no ${i}\n`).join('')}`,
    text: (n) => 'Hello world, this is prose. '.repeat(n),
    log: (n) =>
      Array.from({ length: n }, (_, i) => `2026-01-01 00:00:00 INFO ${'abcdefgh'[i % 8]} step ${i}`).join(
        '\n',
      ),
    aaa: (n) => 'a'.repeat(n * 20),
    keys: (n) => JSON.stringify(Object.fromEntries(Array.from({ length: n }, (_, i) => ['k' + i, i]))),
  };
  for (const [name, make] of Object.entries(big)) {
    const ts = [3000, 3000, 30000].map((n) => {
      const text = make(n);
      const t = performance.now();
      cut({ text }, { maxTokens: 1000, counter, handle: 'x' });
      return `${(text.length / 1e6).toFixed(2)}MB ${(performance.now() - t).toFixed(0)}ms`;
    });
    console.log('TIME', name, ts.slice(1).join(' -> '));
  }
});
