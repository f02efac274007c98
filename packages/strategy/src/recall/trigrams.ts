/** Text of a candidate that is looked at. */
const READ_CHARS = 20_000;

/**
 * Share of the query's trigrams that the text has, from 0 to 1: words are padded as pg_trgm pads them (two blanks before,
 * one behind), so beginnings weigh more, and a word misspelt in one letter still counts for most of its length.
 */
export function trigramLikeness(query: string, text: string): number {
  const wanted = trigramsOf(query);
  if (wanted.size === 0) return 0;
  const there = trigramsOf(text.slice(0, READ_CHARS));
  let common = 0;
  for (const trigram of wanted) if (there.has(trigram)) common += 1;
  return common / wanted.size;
}

function trigramsOf(text: string): Set<string> {
  const trigrams = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}
