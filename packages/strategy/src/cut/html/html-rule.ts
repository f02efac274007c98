import { soundCutBefore } from '@palimpsest/tokens';
import { fitLines, type Line } from '../fit-lines.js';
import { marker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { cutText } from '../text/text-rule.js';
import { type Block, extractHtml, type Page } from './extract-html.js';

/** Rows of a table that go before the prose after the lead: its header and five more. */
const FIRST_ROWS = 6;
/** The share of the cap for a text of another type inside the page. */
const NESTED_SHARE = 0.6;
/** Longer blocks are offered in pieces, so that one giant paragraph does not stand or fall whole. */
const PIECE_CHARS = 400;
const TAG =
  /<\/?(?:html|head|body|div|p|span|table|article|section|main|ul|script|style|a|h[1-6]|meta|title)\b/gi;

/** Behind comments, declarations and a byte order mark. */
const FIRST_TAG =
  /^(?:<!--[^>]{0,500}>\s*|<\?[^>]{0,300}>\s*|<![^>]{0,300}>\s*){0,4}<\/?([a-z][a-z0-9-]{0,40})[\s>/]/i;
const ELEMENT =
  /^(?:html|head|body|div|p|span|table|thead|tbody|tr|td|th|article|section|main|header|footer|nav|aside|ul|ol|li|dl|dt|dd|script|style|a|h[1-6]|meta|title|link|base|form|input|button|img|figure|br|hr|b|i|em|strong|small|pre|code|blockquote|center|font|iframe|noscript|template|label|[a-z]+-[a-z0-9-]+)$/i;

/**
 * The text of a page first, then the cut: headings, the lead, the first rows of tables, further text, in
 * that order of importance and in the page's own order. A page without text (built by script) says so, with
 * its title and description. The handle's marker gives way before the text does.
 */
export const htmlRule: Rule<'html'> = {
  type: 'html',
  mime: 'text/html',
  mimes: ['text/html', 'application/xhtml+xml'],
  tools: /fetch|browse|scrape|crawl|web_?page|open_?url|read_?url/i,
  accepts: (text) => looksLikeHtml(text, 1),
  detects: (text) => looksLikeHtml(text, 3),
  cut: cutHtml,
};

function looksLikeHtml(text: string, tags: number): boolean {
  const start = text
    .slice(0, 2_000)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^<(?:!doctype html|html\b|head\b|body\b)/i.test(start)) return true;
  const first = FIRST_TAG.exec(start)?.[1];
  // A feed or a drawing has titles and links, too: what begins with another element is XML.
  if (first === undefined || !ELEMENT.test(first)) return false;
  return (text.slice(0, 20_000).match(TAG) ?? []).length >= tags;
}

function cutHtml(text: string, context: RuleContext): RuleResult | null {
  const page = extractHtml(text);
  const lines = pageLines(page, context);
  if (lines.length === 0) return emptyPage(page, context);
  const { counter, maxTokens, handle } = context;
  const title = page.title !== '' && page.blocks[0]?.kind !== 'heading' ? [page.title] : [];
  const full = [...title, ...page.blocks.map((block) => block.text)].join('\n');
  if (full.length <= maxTokens * 64 && counter.count(full) <= maxTokens) {
    const note = marker('page markup cut', handle, maxTokens, counter, 0.25);
    const marked = `${full}\n${note}`;
    return { text: counter.count(marked) <= maxTokens ? marked : full, dropped: 'page markup cut' };
  }
  const widest = marker(`${quantity(full.length, 'character')} cut`, handle, maxTokens, counter, 0.3);
  const fitted = fitLines(lines, {
    maxTokens: maxTokens - counter.count(widest) - 1,
    counter,
    note: (from, to) => (to < lines.length ? `[… ${quantity(sizeOf(lines, from, to), 'character')}]` : null),
  });
  if (fitted === null) return cutText(full, context);
  const missing = lines.reduce((sum, line, at) => sum + (fitted.kept[at] === 1 ? 0 : line.text.length), 0);
  const dropped = `${quantity(missing, 'character')} cut`;
  const marked = `${fitted.text.trimEnd()}\n${marker(dropped, handle, maxTokens, counter, 0.3)}`;
  return {
    text: counter.count(marked) <= maxTokens ? marked : fitted.text,
    dropped: `page markup, ${dropped}`,
  };
}

function sizeOf(lines: readonly Line[], from: number, to: number): number {
  let size = 0;
  for (let at = from; at < to; at += 1) size += lines[at]?.text.length ?? 0;
  return size;
}

function pageLines(page: Page, context: RuleContext): Line[] {
  const { blocks } = page;
  const leadChars = context.htmlLeadChars;
  if (blocks.length === 0) return [];
  const lines: Line[] = [];
  if (page.title !== '' && blocks[0]?.kind !== 'heading') lines.push({ text: page.title, priority: 0 });
  let lead = 0;
  let headings = 0;
  for (const block of blocks) {
    if (block.kind === 'heading') {
      lines.push({ text: clip(block.text, PIECE_CHARS), priority: headings < 2 ? 0 : 3 });
      headings += 1;
    } else if (block.kind === 'row') {
      lines.push({ text: clip(block.text, 2 * PIECE_CHARS), priority: block.row < FIRST_ROWS ? 2 : 5 });
    } else {
      // A trace on an error's page is cut as one; it is why the page was fetched.
      const nested =
        block.kind === 'code' && block.text.length > PIECE_CHARS
          ? context.nested(block.text, Math.floor(context.maxTokens * NESTED_SHARE))
          : null;
      if (nested !== null) {
        lines.push({ text: nested, priority: 1 });
        continue;
      }
      for (const piece of piecesOf(block, Math.min(PIECE_CHARS, Math.max(80, leadChars)))) {
        lines.push({ text: piece, priority: lead < leadChars ? 1 : 4 });
        lead += piece.length;
      }
    }
  }
  return lines;
}

function piecesOf(block: Block, size: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < block.text.length; ) {
    const limit = Math.min(block.text.length, from + size);
    let to = limit === block.text.length ? limit : from + sentenceEnd(block.text.slice(from, limit));
    // A cluster longer than a piece (stacked marks) is taken whole.
    for (let reach = size; to <= from; reach *= 2) to = soundCutBefore(block.text, from + reach);
    pieces.push(block.text.slice(from, to).trim());
    from = to;
  }
  return pieces.filter((piece) => piece !== '');
}

function sentenceEnd(text: string): number {
  const ends = ['. ', '。', '! ', '? ', '\n', '！', '？'].map((end) => {
    const at = text.lastIndexOf(end);
    return at < 0 ? 0 : at + end.length;
  });
  const sentence = Math.max(...ends);
  if (sentence > text.length / 2) return sentence;
  const space = text.lastIndexOf(' ');
  return space > text.length / 2 ? space + 1 : 0;
}

function clip(text: string, size: number): string {
  return text.length <= size ? text : `${text.slice(0, soundCutBefore(text, size))}…`;
}

function emptyPage(page: Page, context: RuleContext): RuleResult {
  const { counter, maxTokens, handle } = context;
  const dropped = 'page markup cut, no readable text in it';
  const said = [
    'page without readable text (it may be built by script)',
    page.title === '' ? '' : `title: ${clip(page.title, 200)}`,
    page.description === '' ? '' : `description: ${clip(page.description, 400)}`,
    handle === null ? '' : `full text: artifact ${handle}`,
  ].filter((part) => part !== '');
  const text = `[… ${said.join('; ')}]`;
  if (counter.count(text) <= maxTokens) return { text, dropped };
  return { text: marker('page without readable text', handle, maxTokens, counter, 1), dropped };
}
