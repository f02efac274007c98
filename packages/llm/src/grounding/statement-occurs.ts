import { agree, clausesOf, isLiking, isNegation, polarityOf } from './polarity.js';
import { contentWords, indexWords, normalWords } from './words.js';

/**
 * Whether a statement that a model drew from a text is in it: as it stands, or in its normal form (case, endings,
 * punctuation, groups of digits, who likes for `I like`). Each of its numbers and content words must be there, and no
 * clause of it may deny what the text affirms, or affirm what it denies.
 */
export function statementOccurs(source: string, statement: string): boolean {
  const words = normalWords(statement);
  if (words.length === 0) return false;
  if (!wordsOccur(source, statement)) return false;
  const clauses = clausesOf(source);
  return clausesOf(statement).every((part) => {
    const near = nearest(clauses, part);
    return near === null || isValue(part)
      ? !deniedValue(source, part)
      : agree(polarityOf(part), polarityOf(near));
  });
}

function wordsOccur(source: string, statement: string): boolean {
  const said = normalWords(source);
  const phrase = normalWords(statement).join(' ');
  if (` ${said.join(' ')} `.includes(` ${phrase} `)) return true;
  const index = indexWords(said);
  const digits = digitRuns(source);
  // Whether it denies is compared clause by clause.
  const content = contentWords(statement).filter((word) => !isNegation(word));
  if (content.length === 0) return false;
  const likes = polarityOf(source).liking !== 0;
  let found = 0;
  for (const word of content) {
    if (index.has(word) || (/\p{N}/u.test(word) && hasDigits(digits, word))) found += 1;
    else if (!(likes && isLiking(word))) return false;
  }
  return found > 0;
}

/** Digits of a text as they are without the spaces, points and dashes people group them with. */
function digitRuns(text: string): string[] {
  return (
    text.match(/\p{N}(?:[\s.,()\u00a0\u202f-]{0,2}\p{N})*/gu)?.map((run) => run.replace(/\D+/gu, '')) ?? []
  );
}

function hasDigits(runs: readonly string[], word: string): boolean {
  if (/\p{L}/u.test(word)) return false;
  const digits = word.replace(/\D+/gu, '');
  return runs.some((run) => run === digits || (digits.length >= 5 && run.includes(digits)));
}

/** A number, an address, a name: nothing that could be denied in itself. */
function isValue(part: string): boolean {
  return /[\p{N}@]/u.test(part) && contentWords(part).length <= 2;
}

/** `not AB-1`, `не 55`: the value is named to say that it is another. */
function deniedValue(source: string, value: string): boolean {
  const said = normalWords(source);
  const [first] = normalWords(value);
  let denied = false;
  for (const [at, word] of said.entries()) {
    if (word !== first) continue;
    if (!/^(?:not|isn't|не|нет|ні)$/u.test(said[at - 1] ?? '')) return false;
    denied = true;
  }
  return denied;
}

/** The clause that shares most words with the part; null when none shares any. */
function nearest(clauses: readonly string[], part: string): string | null {
  const wanted = [...new Set(normalWords(part))];
  let best: string | null = null;
  let most = 0;
  for (const clause of clauses) {
    const index = indexWords(normalWords(clause));
    const shared = wanted.filter((word) => index.has(word)).length;
    if (shared > most) {
      best = clause;
      most = shared;
    }
  }
  return best;
}
