import { soundCutBefore } from '@palimpsest/tokens';
import { number } from './marker.js';
import type { Counter } from './rule.js';

/** Characters read per token kept: bounds the work on a line of megabytes. */
const CHARS_PER_TOKEN = 16;

/**
 * One line within `maxTokens`: its beginning, how much is missing, its end (messages often carry the cause
 * there). Returned as it is when it fits; an empty string when not even the note does.
 */
export function shortenLine(line: string, maxTokens: number, counter: Counter): string {
  if (line.length <= maxTokens * CHARS_PER_TOKEN && counter.count(line) <= maxTokens) return line;
  for (let room = maxTokens - counter.count(note(line.length)); room > 0; room -= 2) {
    const headTokens = Math.ceil(room * 0.7);
    const head = clipHead(line, headTokens, counter);
    const tail = room > headTokens + 3 ? clipTail(line.slice(head.length), room - headTokens, counter) : '';
    const text = `${head}${note(line.length - head.length - tail.length)}${tail}`;
    if (counter.count(text) <= maxTokens) return text;
  }
  return clipHead(line, maxTokens, counter);
}

/** The longest sound prefix within the limit, reading no more of the text than it can keep. */
export function clipHead(text: string, maxTokens: number, counter: Counter): string {
  if (maxTokens <= 0) return '';
  return counter.head(text.length > maxTokens * 64 ? soundSlice(text, maxTokens * 64) : text, maxTokens);
}

/** The longest sound suffix within the limit, reading no more of the text than it can keep. */
export function clipTail(text: string, maxTokens: number, counter: Counter): string {
  if (maxTokens <= 0) return '';
  const from = text.length - maxTokens * 64;
  return counter.tail(from > 0 ? text.slice(soundCutBefore(text, from)) : text, maxTokens);
}

function soundSlice(text: string, end: number): string {
  return text.slice(0, soundCutBefore(text, end));
}

function note(characters: number): string {
  return ` [… ${number(characters)} characters] `;
}
