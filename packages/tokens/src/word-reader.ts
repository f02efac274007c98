import { classOf, LETTER, LOWER, MARK, UPPER } from './character-class.js';
import { HASH_SEED, hashWith, MEMO_UNITS } from './piece-memo.js';

const SPACE_UNIT = 0x20;
const APOSTROPHE = 0x27;

/**
 * Reads the commonest piece of all at once with its hash: a word in lower case, its first letter perhaps a capital, a
 * space before it perhaps. Both encodings split there, unless a letter, a mark or an apostrophe follows; then, as for
 * everything else, the full scanner is asked.
 */
export class WordReader {
  /** Of the word read last, as the memo wants it. */
  hash = 0;

  /** End of the word that starts at `start`; -1 where the text there is not so plain. */
  read(text: string, start: number, end: number): number {
    let at = start;
    let hash = HASH_SEED;
    let unit = text.charCodeAt(at);
    if (unit === SPACE_UNIT) {
      hash = hashWith(hash, unit);
      at += 1;
      if (at === end) return -1;
      unit = text.charCodeAt(at);
    }
    let kind = classOf(unit);
    if (kind === UPPER) {
      hash = hashWith(hash, unit);
      at += 1;
      if (at === end) return -1;
      unit = text.charCodeAt(at);
      kind = classOf(unit);
    }
    const letters = at;
    while (kind === LOWER) {
      hash = hashWith(hash, unit);
      at += 1;
      if (at === end) break;
      unit = text.charCodeAt(at);
      kind = classOf(unit);
    }
    if (at === letters || at - start > MEMO_UNITS) return -1;
    // A surrogate may be half of a letter.
    if (at < end && ((kind & (LETTER | MARK)) !== 0 || unit === APOSTROPHE || (unit & 0xf800) === 0xd800))
      return -1;
    this.hash = hash;
    return at;
  }
}
