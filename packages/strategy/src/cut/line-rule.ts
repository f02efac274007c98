import { soundCutBefore } from '@palimpsest/tokens';
import { fitLines, type Line } from './fit-lines.js';
import { marker, number, quantity } from './marker.js';
import type { RuleContext, RuleResult } from './rule.js';

const LONGEST_LINE = 400;

/**
 * The most important of `lines`, with a count in each gap and a marker that names the handle at the end:
 * what logs, tables, code and Markdown share. Null when no line fits.
 */
export function cutLines(lines: readonly Line[], noun: string, context: RuleContext): RuleResult | null {
  const { counter, maxTokens, handle } = context;
  const offered = lines.map((line) => ({ text: clipLine(line.text), priority: line.priority }));
  const widest = marker(`${quantity(lines.length, noun)} cut`, handle, maxTokens, counter, 0.35);
  const fitted = fitLines(offered, {
    maxTokens: maxTokens - counter.count(widest) - 1,
    counter,
    note: (from, to) => (to < lines.length ? `[… ${quantity(to - from, noun)}]` : null),
  });
  if (fitted === null) return null;
  const missing = fitted.kept.reduce((sum, kept) => sum + (kept === 1 ? 0 : 1), 0);
  const dropped = missing === 0 ? 'long lines cut' : `${quantity(missing, noun)} cut`;
  const note = marker(dropped, handle, maxTokens, counter, 0.35);
  const text = note === '' ? fitted.text : `${fitted.text}\n${note}`;
  return { text: counter.count(text) <= maxTokens ? text : fitted.text, dropped };
}

/** A line of more characters than any reader takes in, shown by its beginning and what is missing. */
export function clipLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const end = soundCutBefore(line, LONGEST_LINE - 100);
  return `${line.slice(0, end)} [… ${number(line.length - end)} characters]`;
}
