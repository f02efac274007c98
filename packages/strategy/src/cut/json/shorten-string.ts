import { number } from '../marker.js';
import type { RuleContext } from '../rule.js';
import { clipHead } from '../shorten-line.js';

const EARLIER = / ?… \[([\d,]{1,15}) more characters[^\]]{0,200}\]$/;
const DATA_URL = /^data:[\w.+/-]{0,80}(?:;[\w=.+-]{1,80}){0,4};base64,/;
/** Below this a text inside a string is not worth a rule of its own. */
const LEAST_NESTED = 24;
const LONG_RUN = 512;
const ATTEMPTS = 5;

/**
 * A long string as a JSON string of about `maxTokens`: its beginning and how much more there was. A stack
 * trace or a page inside is cut by its own rule, a data URL to its type and size. Null when nothing fits.
 * Escapes are decoded and written anew, so none is cut in two.
 */
export function shortenString(
  decoded: string,
  maxTokens: number,
  context: RuleContext,
  handle: string | null,
): string | null {
  const dataUrl = DATA_URL.exec(decoded.slice(0, 500))?.[0];
  if (dataUrl !== undefined) {
    return within(`${dataUrl}${more(decoded.length - dataUrl.length, handle)}`, maxTokens, context);
  }
  if (maxTokens >= LEAST_NESTED && mayBeNested(decoded)) {
    const cut = context.nested(decoded, Math.floor(maxTokens * 0.85) - 2);
    const json = cut === null ? null : within(cut, maxTokens, context);
    if (json !== null) return json;
  }
  const earlier = EARLIER.exec(decoded.slice(-300));
  const before = earlier === null ? 0 : Number((earlier[1] ?? '0').replaceAll(',', ''));
  const text = earlier === null ? decoded : decoded.slice(0, -earlier[0].length);
  let room = maxTokens - context.counter.count(JSON.stringify(more(decoded.length, handle)));
  for (let attempt = 0; attempt < ATTEMPTS && room > 0; attempt += 1) {
    const head = clipHead(text, room, context.counter);
    const json = JSON.stringify(head + more(text.length - head.length + before, handle));
    const tokens = context.counter.count(json);
    if (tokens <= maxTokens) return json;
    room = Math.min(room - 1, Math.floor(room * (maxTokens / tokens)) - 1);
  }
  return within(more(text.length + before, handle).trim(), maxTokens, context);
}

/** A cheap look before the detection: lines, markup, or a long run without a space. */
function mayBeNested(text: string): boolean {
  if (text.startsWith('<') || text.includes('\n')) return true;
  return text.length > LONG_RUN && !text.slice(0, LONG_RUN).includes(' ');
}

function more(characters: number, handle: string | null): string {
  return ` … [${number(characters)} more characters${handle === null ? '' : `; full text: artifact ${handle}`}]`;
}

function within(text: string, maxTokens: number, context: RuleContext): string | null {
  const json = JSON.stringify(text);
  return context.counter.count(json) <= maxTokens ? json : null;
}
