import { cutLines } from '../line-rule.js';
import { quantity } from '../marker.js';
import type { Rule } from '../rule.js';

const FIRST_ROWS = 5;
const SEPARATORS = ['\t', '|', ',', ';'];
const RULER = /^[\s|+:=-]+$/;

/** SQL results, CSV, TSV, pipe tables: how many rows, the header, the first five, then more as it fits. */
export const tableRule: Rule = {
  type: 'table',
  mimes: ['text/csv', 'text/tab-separated-values', 'application/csv'],
  tools: /(?:^|[_.-])(?:sql|query|select|csv)(?:$|[_.-])/i,
  accepts: (text) => separatorOf(text, 2) !== null,
  detects: (text) => separatorOf(text, 4) !== null,
  cut: (text, context) => {
    const lines = text.replace(/\n+$/, '').split('\n');
    const header = RULER.test(lines[0] ?? '') ? 3 : RULER.test(lines[1] ?? '') ? 2 : 1;
    const rows = lines.filter((line, at) => at >= header && line.trim() !== '' && !RULER.test(line)).length;
    const ranked = lines.map((line, at) => ({
      text: line,
      priority: at < header ? 0 : at < header + FIRST_ROWS ? 2 : at === lines.length - 1 ? 3 : 4,
    }));
    return cutLines([{ text: `[${quantity(rows, 'row')}]`, priority: 1 }, ...ranked], 'row', context);
  },
};

/** The separator that stands equally often in each of the first lines, or null. */
function separatorOf(text: string, leastLines: number): string | null {
  const lines = text
    .slice(0, 20_000)
    .split('\n')
    .slice(0, 12)
    .filter((line) => line.trim() !== '' && !RULER.test(line));
  // The last may be broken off by the sample.
  const whole = text.length > 20_000 && lines.length > leastLines ? lines.slice(0, -1) : lines;
  if (whole.length < leastLines) return null;
  return SEPARATORS.find((separator) => isRegular(whole, separator)) ?? null;
}

function isRegular(lines: readonly string[], separator: string): boolean {
  const counts = lines.map((line) => line.replaceAll(/"[^"\n]*"/g, '""').split(separator).length - 1);
  const first = counts[0] ?? 0;
  const same = counts.filter((count) => count === first).length;
  // Commas stand in prose too: only a table has the same two or more in every line.
  return first >= (separator === ',' || separator === ';' ? 2 : 1) && same >= counts.length * 0.9;
}
