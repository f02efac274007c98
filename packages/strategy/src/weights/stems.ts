/** Shorter words are grammar in the languages that have them. */
const LEAST = 3;
/** Endings begin here in inflected languages: `замовлення` and `замовленню`, `order` and `orders` are one. */
const STEM = 5;

/**
 * The words of a text, lower case, each cut to its first five letters: a stem that needs no dictionary and serves every
 * language alike. Words with digits stay whole. Of scripts without spaces each pair of signs.
 */
export function stemsOf(text: string): Set<string> {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_-]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) {
      const signs = [...word];
      for (let at = 0; at + 1 < signs.length; at += 1) stems.add(`${signs[at] ?? ''}${signs[at + 1] ?? ''}`);
    } else if (/\d/.test(word)) stems.add(word);
    else if (word.length >= LEAST) stems.add(word.slice(0, STEM));
  }
  return stems;
}
