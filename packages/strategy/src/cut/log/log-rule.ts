import { NEVER } from '../fit-lines.js';
import { cutLines } from '../line-rule.js';
import { quantity } from '../marker.js';
import type { Rule } from '../rule.js';

const ENDS = 5;
const SAMPLE = 300;
const ALARM =
  /\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|ALERT|EMERG|[Ee]rror:|[Ff]ailed|FAILED|FAILURE|[Ee]xception)\b/;
const WARNING = /\b(?:WARN|WARNING|[Ww]arning:)/;
const STAMPED =
  /^\S{0,40}?\s{0,4}(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]|\[?\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{6} \d{6} |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b)/;

/** Lines that repeat the one before but for numbers fold to a count; errors, warnings and both ends stay. */
export const logRule: Rule = {
  type: 'log',
  mimes: ['text/x-log', 'application/x-log'],
  tools: /(?:^|[_.-])(?:logs?|journalctl|tail)(?:$|[_.-])/i,
  accepts: (text) => text.includes('\n'),
  detects: (text) => {
    const lines = text.slice(0, 8_000).split('\n').slice(0, 40);
    return (
      lines.length >= 4 && lines.filter((line) => STAMPED.test(line.slice(0, 120))).length >= lines.length / 2
    );
  },
  cut: (text, context) => {
    const lines = foldRepeats(text.split('\n'));
    const ranked = lines.map((line, at) => ({ text: line, priority: rank(line, at, lines.length) }));
    for (const [at, line] of ranked.entries()) {
      if (line.priority !== 1) continue;
      for (const near of [ranked[at - 1], ranked[at + 1]])
        if (near !== undefined && near.priority > 4) near.priority = 4;
    }
    return cutLines(ranked, 'line', context);
  },
};

function rank(line: string, at: number, total: number): number {
  if (line.trim() === '') return NEVER;
  if (at === 0 || at >= total - 2) return 0;
  const sample = line.slice(0, SAMPLE);
  if (ALARM.test(sample)) return 1;
  if (WARNING.test(sample)) return 3;
  if (at < ENDS || at >= total - ENDS) return 2;
  const fromEnd = Math.min(at, total - at);
  return 5 + Math.min(80, Math.floor(Math.log2(fromEnd) * 4));
}

function foldRepeats(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const shape = shapeOf(line);
    let end = at + 1;
    while (end < lines.length && shapeOf(lines[end] ?? '') === shape) end += 1;
    if (end - at > 2 && shape.trim() !== '') {
      folded.push(line, `[… ${quantity(end - at - 1, 'more line')} like the one above]`);
    } else {
      folded.push(...lines.slice(at, end));
    }
    at = end;
  }
  return folded;
}

function shapeOf(line: string): string {
  return line.slice(0, SAMPLE).replaceAll(/\d+/g, '0');
}
