import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { cut } from '../index.js';

const counter = tokenCounter();
const cutTo = (text: string, maxTokens: number) =>
  cut({ text, type: 'diff' }, { maxTokens, counter, handle: 'a-1' }).text;
const context = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ` line ${from + at}`).join('\n');

describe('cutting a diff', () => {
  it('keeps changes before context and writes the header of what is kept', () => {
    const text = `--- a/x.ts\n+++ b/x.ts\n@@ -100,61 +100,62 @@ class Orders {\n${context(100, 30)}\n-old total\n+new total\n+new tax\n${context(131, 30)}\n`;
    expect(cutTo(text, 58)).toBe(
      [
        '--- a/x.ts',
        '+++ b/x.ts',
        '@@ -129,2 +129,3 @@ class Orders {',
        ' line 129',
        '-old total',
        '+new total',
        '+new tax',
        '[… 59 other lines cut; full text: artifact a-1]',
      ].join('\n'),
    );
    expect(cutTo(text, 100)).toContain(' line 129\n-old total\n+new total\n+new tax\n line 131');
  });

  it('does not show a removal without what came in its place', () => {
    const changes = Array.from(
      { length: 40 },
      (_, at) => `@@ -${at * 10 + 1},1 +${at * 10 + 1},1 @@\n-before ${at} of it\n+after ${at} of it`,
    );
    const text = `--- a/x\n+++ b/x\n${changes.join('\n')}\n`;
    for (let maxTokens = 60; maxTokens < 300; maxTokens += 7) {
      const shown = cutTo(text, maxTokens);
      expect(shown.match(/^-before/gm)?.length).toBe(shown.match(/^\+after/gm)?.length);
    }
  });

  it('names every file that is changed', () => {
    const files = Array.from(
      { length: 6 },
      (_, at) =>
        `diff --git a/f${at} b/f${at}\n--- a/f${at}\n+++ b/f${at}\n@@ -1,1 +1,60 @@\n-x\n${Array.from({ length: 60 }, (_y, line) => `+added ${line}`).join('\n')}`,
    );
    const shown = cutTo(files.join('\n'), 300);
    for (let at = 0; at < 6; at += 1) expect(shown).toContain(`+++ b/f${at}`);
  });

  it('says where a new file begins, and keeps the note about its end with its last line', () => {
    const text = `--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+only\n+last\n\\ No newline at end of file\n${'noise behind the diff\n'.repeat(100)}`;
    expect(cutTo(text, 80)).toContain('@@ -0,0 +1,2 @@\n+only\n+last\n\\ No newline at end of file');
  });

  it('reads a removed line that begins with two hyphens as a line', () => {
    const text = `--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n select 1;\n--- a comment\n select 2;\n${'x\n'.repeat(200)}`;
    expect(cutTo(text, 70)).toContain('--- a comment');
    expect(cutTo(text, 70)).toMatch(/@@ -\d,\d \+\d,\d @@/);
  });
});
