import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { cut } from '../index.js';
import { samples } from './samples.js';

const counter = tokenCounter();

describe('cutting code', () => {
  it.each([
    ['TypeScript', 'export function part9(): number {'],
    ['Python', 'def part_9(x: int) -> int:'],
    ['Go with line numbers', 'func Part9(x int) int {'],
    ['Java', 'public class Orders {'],
  ])('of %s keeps signatures before bodies', (language, signature) => {
    const { text } = cut(
      { text: samples.natural[language] ?? '' },
      { maxTokens: 400, counter, handle: 'a-1' },
    );
    expect(text).toContain(signature);
    const bodies = text.split('\n').filter((line) => line.includes('return')).length;
    const signatures = text.split('\n').filter((line) => /function|def |func |public /.test(line)).length;
    expect(signatures).toBeGreaterThan(4 * bodies);
  });
});
