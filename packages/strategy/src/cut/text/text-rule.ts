import { openFence } from '../fences.js';
import { countedEarlier, marker, quantity } from '../marker.js';
import type { Counter, Rule, RuleContext, RuleResult } from '../rule.js';
import { clipHead, clipTail } from '../shorten-line.js';

/** The beginning says what a text is, the end how it came out; the beginning is worth a little more. */
const HEAD_SHARE = 0.6;
/** How much of the head or tail may be given up to stop at a border. */
const BORDER_SHARE = 0.25;
const SENTENCE_ENDS = ['. ', '! ', '? ', '。', '！', '？', '।', '။', '។'];
const ATTEMPTS = 8;

/** Beginning and end, with a marker between them that counts what was cut. Needs no spaces in the text. */
export const textRule: Rule<'text'> = {
  type: 'text',
  mime: 'text/plain',
  mimes: ['text/plain'],
  tools: null,
  accepts: () => true,
  detects: () => true,
  cut: (text, context) => cutText(text, context),
};

/**
 * The head and tail of a text within the cap. Below the size of a marker: its shortest form `…`, and below
 * that the empty string.
 */
export function cutText(
  text: string,
  context: Pick<RuleContext, 'maxTokens' | 'handle' | 'counter'>,
): RuleResult {
  const { maxTokens, counter, handle } = context;
  const widest = marker(`${cutWhat(text)} cut`, handle, maxTokens, counter);
  let room = maxTokens - counter.count(widest) - 2;
  for (let attempt = 0; attempt < ATTEMPTS && room > 0; attempt += 1) {
    const { head, tail } = ends(text, room, counter);
    if (head.length + tail.length >= text.length) {
      room -= 1;
      continue;
    }
    const what = `${cutWhat(text.slice(head.length, text.length - tail.length))} cut`;
    const note = marker(what, handle, maxTokens, counter);
    const result = closedAtEnd(join(closed(head), note, reopened(text, tail)));
    const tokens = counter.count(result);
    if (tokens <= maxTokens) return { text: result, dropped: what };
    room = Math.min(room - 1, Math.floor(room - (tokens - maxTokens) * 1.1));
  }
  const everything = `${cutWhat(text)} cut`;
  return { text: marker(everything, handle, maxTokens, counter, 1), dropped: everything };
}

function ends(text: string, room: number, counter: Counter): { head: string; tail: string } {
  const headTokens = Math.ceil(room * HEAD_SHARE);
  const head = endAtBorder(clipHead(text, headTokens, counter));
  const rest = text.slice(head.length);
  return { head, tail: startAtBorder(clipTail(rest, room - headTokens, counter), rest) };
}

/** What stands between, in lines when there are any: earlier markers in it count for what they stand for. */
function cutWhat(missing: string): string {
  const earlier = countedEarlier(missing);
  const lines = newlines(missing) + earlier.lines - earlier.markers;
  if (lines >= 2) return quantity(lines, 'line');
  return quantity(missing.length + earlier.characters, 'character');
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function endAtBorder(head: string): string {
  const least = Math.floor(head.length * (1 - BORDER_SHARE));
  const line = head.lastIndexOf('\n');
  if (line >= least) return head.slice(0, line + 1);
  let border = -1;
  for (const end of SENTENCE_ENDS) {
    const at = head.lastIndexOf(end);
    if (at >= least) border = Math.max(border, at + end.length);
  }
  return border > 0 ? head.slice(0, border) : head;
}

function startAtBorder(tail: string, rest: string): string {
  const most = Math.ceil(tail.length * BORDER_SHARE);
  if (tail === '' || rest.charAt(rest.length - tail.length - 1) === '\n') return tail;
  const line = tail.indexOf('\n');
  if (line >= 0 && line < most) return tail.slice(line + 1);
  let border = Number.POSITIVE_INFINITY;
  for (const end of SENTENCE_ENDS) {
    const at = tail.indexOf(end);
    if (at >= 0 && at < most) border = Math.min(border, at + end.length);
  }
  return Number.isFinite(border) ? tail.slice(border) : tail;
}

/** The head with the fence of its code closed, so that the marker and what follows are not read as code. */
function closed(head: string): string {
  const fence = openFence(head);
  return fence === null ? head : `${head}${head.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** A text whose code never ends must not draw what follows it in a context into that code. */
function closedAtEnd(text: string): string {
  const fence = openFence(text);
  return fence === null ? text : `${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The tail with its fence opened again, where it begins inside of code. */
function reopened(text: string, tail: string): string {
  const fence = tail === '' ? null : openFence(text, text.length - tail.length);
  return fence === null ? tail : `${fence}\n${tail}`;
}

function join(head: string, note: string, tail: string): string {
  if (note === '') return head === '' ? tail : head;
  const before = head.endsWith('\n') || head === '' ? head : `${head.trimEnd()} `;
  const lineBreak = head.endsWith('\n') || head === '';
  return lineBreak ? `${before}${note}\n${tail}` : `${before}${note} ${tail}`;
}
