import { Fences } from '../fences.js';
import { fitLines, type Line } from '../fit-lines.js';
import { clipLine } from '../line-rule.js';
import { marker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { type Block, readBlocks } from './read-blocks.js';

const HEADING = /^#{1,6} \S/;
const FIRST_LINES = 2;
const LEAD_LINES = 6;
/** A gap of fewer lines is only marked: in a text of many short parts the counts would take the room of the parts. */
const COUNTED_GAP = 12;
/** Code longer than this share of the cap is shown by its beginning. In characters at about three to a token. */
const CODE_SHARE = 0.25;
const CHARS_PER_TOKEN = 3;
const LEAST_CODE = 120;

/** Headings, the lead, the first line under each heading, then the rest; fenced code after prose, its fences closed. */
export const markdownRule: Rule<'markdown'> = {
  type: 'markdown',
  mime: 'text/markdown',
  mimes: ['text/markdown', 'text/x-markdown'],
  tools: /markdown|readme/i,
  accepts: () => true,
  detects: (text) => {
    const fences = new Fences();
    let headings = 0;
    let marks = 0;
    for (const line of text.slice(0, 16_000).split('\n')) {
      if (fences.read(line)) marks += 1;
      else if (fences.open === null && HEADING.test(line.slice(0, 20))) headings += 1;
    }
    return marks >= 2 || (headings >= 1 && headings + marks >= 2);
  },
  cut: cutMarkdown,
};

function cutMarkdown(text: string, context: RuleContext): RuleResult | null {
  const { counter, maxTokens, handle } = context;
  const blocks = readBlocks(text);
  const room = Math.max(LEAST_CODE, Math.floor(maxTokens * CODE_SHARE * CHARS_PER_TOKEN));
  const lines = rankBlocks(blocks, room);
  const total = blocks.reduce((sum, block) => sum + block.lines.length, 0);
  const widest = marker(`${quantity(total, 'line')} cut`, handle, maxTokens, counter, 0.35);
  const sizeOf = (from: number, to: number) => {
    let size = 0;
    for (let at = from; at < to; at += 1) size += blocks[at]?.lines.length ?? 0;
    return size;
  };
  const fitted = fitLines(lines, {
    maxTokens: maxTokens - counter.count(widest) - 1,
    counter,
    note: (from, to) => {
      if (to >= lines.length) return null;
      const size = sizeOf(from, to);
      return size < COUNTED_GAP ? '…' : `[… ${quantity(size, 'line')}]`;
    },
  });
  if (fitted === null) return null;
  let missing = 0;
  for (const [at, line] of lines.entries()) {
    missing += fitted.kept[at] === 1 ? line.hidden : (blocks[at]?.lines.length ?? 0);
  }
  const dropped = missing === 0 ? 'blank and long lines cut' : `${quantity(missing, 'line')} cut`;
  const note = marker(dropped, handle, maxTokens, counter, 0.35);
  const marked = note === '' ? fitted.text : `${fitted.text}\n${note}`;
  return { text: counter.count(marked) <= maxTokens ? marked : fitted.text, dropped };
}

/** A block as offered; `hidden` counts lines of code that are left out even when it is kept. */
interface Offered extends Line {
  readonly hidden: number;
}

function rankBlocks(blocks: readonly Block[], room: number): Offered[] {
  let sinceHeading = 0;
  let prose = 0;
  let headings = 0;
  return blocks.map((block) => {
    // The first of many parts before the last of them, so that not all the room goes into a table of contents.
    const later = Math.min(6, Math.floor(Math.log2(1 + headings / 8)));
    if (block.kind === 'code') {
      sinceHeading += 1;
      return { ...shortenCode(block.lines, room), priority: sinceHeading === 1 ? 5 + later : 12 };
    }
    const text = clipLine(block.lines[0] ?? '');
    if (block.kind === 'heading') {
      sinceHeading = 0;
      headings += 1;
      return { text, hidden: 0, priority: headings === 1 ? 0 : (/^##? /.test(text) ? 1 : 3) + later };
    }
    sinceHeading += 1;
    prose += 1;
    return { text, hidden: 0, priority: rankProse(prose, sinceHeading, later) };
  });
}

function rankProse(order: number, sinceHeading: number, later: number): number {
  if (order <= FIRST_LINES) return 0;
  if (order <= LEAD_LINES) return 2;
  return sinceHeading === 1 ? 4 + later : 11;
}

/** Code within so many characters, its first lines whole, its fences kept. */
function shortenCode(lines: readonly string[], room: number): { text: string; hidden: number } {
  const body = lines.slice(1, -1).map((line) => clipLine(line));
  let size = 0;
  let shown = 0;
  while (shown < body.length && size <= room) {
    size += (body[shown]?.length ?? 0) + 1;
    shown += 1;
  }
  const hidden = size > room && shown > 1 ? body.length - shown + 1 : body.length - shown;
  const kept = body.slice(0, body.length - hidden);
  if (hidden > 0) kept.push(`[… ${quantity(hidden, 'line')}]`);
  return { text: [clipLine(lines[0] ?? ''), ...kept, lines.at(-1) ?? ''].join('\n'), hidden };
}
