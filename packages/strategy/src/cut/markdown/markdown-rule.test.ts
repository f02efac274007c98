import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { Fences } from '../fences.js';
import { cut } from '../index.js';
import { samples } from './samples.js';

const counter = tokenCounter();
const cutTo = (text: string, maxTokens: number) => cut({ text }, { maxTokens, counter, handle: 'a-1' }).text;

describe('cutting Markdown', () => {
  it('keeps headings and the lead, and takes no comment in code for a heading', () => {
    const shown = cutTo(samples.natural['a readme'] ?? '', 200);
    for (const kept of [
      '# Tool',
      'What it does, in two lines.',
      '## Part 0',
      '## Part 9',
      'Text of this part, a line of it.',
    ])
      expect(shown).toContain(kept);
    expect(shown).not.toContain('not a heading');
  });

  it('shows long code by its first lines, closed, with a count', () => {
    const shown = cutTo(samples.natural['an answer with long code'] ?? '', 120);
    expect(shown).toMatch(/```ts\ncall\(0\);\n[^`]*\n\[… 1\d\d lines\]\n```\nThat is all\./);
  });

  it('closes code that the original leaves open', () => {
    expect(cutTo(samples.natural['code never closed'] ?? '', 100)).toMatch(/~~~py\nprint\(1\)[^~]*\n~~~/);
  });
});

function openAfter(...lines: string[]): string | null {
  const fences = new Fences();
  for (const line of lines) fences.read(line);
  return fences.open;
}

describe('fences', () => {
  it.each([
    [['```js'], '```'],
    [['```', 'x', '```'], null],
    [['````', '```', '```'], '````'],
    [['~~~', '```'], '~~~'],
    [['```', '``` not an end'], '```'],
    [['```one line```'], null],
    [['    ```'], null],
    [['```', '`````'], null],
  ])('are followed as CommonMark has them: %j', (lines, open) => {
    expect(openAfter(...lines)).toBe(open);
  });
});
