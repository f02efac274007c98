import { type Line, NEVER } from '../fit-lines.js';
import { cutLines } from '../line-rule.js';
import type { Rule } from '../rule.js';

const HEADING = /^#{1,6} \S/;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const LEAD_LINES = 6;

/** Headings, the lead, the first line under each heading, then the rest; fenced code after prose. */
export const markdownRule: Rule = {
  type: 'markdown',
  mimes: ['text/markdown', 'text/x-markdown'],
  tools: /markdown|readme/i,
  accepts: () => true,
  detects: (text) => {
    const lines = text.slice(0, 16_000).split('\n');
    const marks = lines.filter((line) => HEADING.test(line) || FENCE.test(line)).length;
    return marks >= 2 && lines.some((line) => HEADING.test(line));
  },
  cut: (text, context) => {
    const lines = text.split('\n');
    return cutLines(rankLines(lines), 'line', context);
  },
};

function rankLines(lines: readonly string[]): Line[] {
  let sinceHeading = 0;
  let fenced = false;
  let prose = 0;
  return lines.map((text) => {
    if (FENCE.test(text)) fenced = !fenced;
    if (text.trim() === '') return { text, priority: NEVER };
    if (!fenced && HEADING.test(text)) {
      sinceHeading = 0;
      return { text, priority: text.startsWith('## ') || text.startsWith('# ') ? 0 : 2 };
    }
    sinceHeading += 1;
    prose += 1;
    if (prose <= LEAD_LINES) return { text, priority: 1 };
    return { text, priority: fenced ? 6 : sinceHeading === 1 ? 3 : 5 };
  });
}
