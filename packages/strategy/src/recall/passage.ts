import { likeness, rarityOf } from '../weights/rarity.js';
import { stemsOf } from '../weights/stems.js';

const PASSAGE_CHARS = 160;

/**
 * The part of a long text that has most of the query's words, with a part before and behind it: what a search is answered
 * with. A text of less than three parts is answered whole.
 */
export function passageOf(text: string, query: string): string {
  const parts = partsOf(text);
  if (parts.length <= 3) return text;
  const stems = parts.map(stemsOf);
  const rarity = rarityOf(stemsOf(query), stems);
  let best = 0;
  let most = -1;
  for (const [index, ofPart] of stems.entries()) {
    const alike = likeness(rarity, ofPart);
    if (alike > most) [best, most] = [index, alike];
  }
  const from = Math.max(0, best - 1);
  const chosen = parts
    .slice(from, best + 2)
    .join('')
    .trim();
  return `${from > 0 ? '… ' : ''}${chosen}${best + 2 < parts.length ? ' …' : ''}`;
}

/** Lines, long ones cut at blanks. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (const [word] of text.matchAll(/\S{0,200}\s*/gu)) {
    if (word === '') continue;
    if (part.length + word.length > PASSAGE_CHARS && part !== '') {
      parts.push(part);
      part = '';
    }
    part += word;
  }
  if (part !== '') parts.push(part);
  return parts;
}
