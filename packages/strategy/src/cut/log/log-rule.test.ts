import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { cut, detectContentType } from '../index.js';
import { samples } from './samples.js';

const counter = tokenCounter();
const cutTo = (text: string, maxTokens: number) => cut({ text }, { maxTokens, counter, handle: 'a-1' }).text;

describe('logs', () => {
  it.each([
    ['a service', 'ERROR refused: db:5432'],
    ['a package manager', 'npm ERR! code ERESOLVE'],
    ['a compiler', "error: use of undeclared identifier 'total'"],
  ])('of %s keep an error in their middle, and both ends', (name, kept) => {
    const text = samples.natural[name] ?? '';
    const result = cutTo(text, 150);
    const lines = text.split('\n');
    for (const line of [kept, lines[0] ?? '', lines.at(-1) ?? '']) expect(result).toContain(line);
  });

  it('fold lines that differ in numbers only to a count', () => {
    expect(cutTo(samples.natural['one line again and again'] ?? '', 100)).toContain(
      '[… 299 more lines like the one above]',
    );
  });

  it('keep a line unlike all others', () => {
    const lines = Array.from(
      { length: 400 },
      (_, n) => `2026-01-01 10:00:00 INFO ${['read', 'write'][n % 2]} ok`,
    );
    lines[200] = '2026-01-01 10:00:00 INFO failing over to replica db-7';
    expect(cutTo(lines.join('\n'), 120)).toContain('db-7');
  });

  it('keep an error beside hundreds of another', () => {
    const lines = Array.from({ length: 400 }, (_, n) =>
      n % 2 === 0 ? `2026-01-01 10:00:00 ERROR retry ${n} failed` : '2026-01-01 10:00:00 INFO waiting',
    );
    lines[301] = '2026-01-01 10:00:00 FATAL disk full: /data';
    expect(cutTo(lines.join('\n'), 150)).toContain('disk full');
  });

  it('are not taken for what is prose, Markdown or a list', () => {
    const prose = 'The delivery failed on Monday, and nobody was told of it.\n'.repeat(40);
    const list = Array.from({ length: 60 }, (_, at) => `item ${at}`).join('\n');
    const markdown = `# Errors\n\n${'Error: see below\n'.repeat(40)}\n## More\n`;
    expect(detectContentType({ text: prose })).toBe('text');
    expect(detectContentType({ text: list })).toBe('text');
    expect(detectContentType({ text: markdown })).toBe('markdown');
    expect(detectContentType({ text: list, isError: true })).toBe('log');
  });
});
