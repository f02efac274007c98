import { splitSentences } from '../sentences.js';
import { languageOf, LANGUAGES } from './languages/index.js';
import type { LanguageRules } from './language-rules.js';
import { type ResolvedDate, resolveDates } from './resolve-dates.js';

/**
 * Dates a sentence names, resolved against the time it was said at, in a time zone (IANA, null = UTC). Near languages
 * share words: a date the guessed language cannot read is read by another.
 */
export function datesOfSentence(
  sentence: string,
  rules: LanguageRules,
  at: number,
  timeZone: string | null,
): ResolvedDate[] {
  for (const language of [
    rules,
    ...LANGUAGES.filter((other) => other !== rules && other.script.test(sentence)),
  ]) {
    const dates = resolveDates(sentence, language, at, timeZone);
    if (dates.length > 0) return dates;
  }
  return [];
}

/** The ends, in milliseconds since 1970, of the days and times ahead that a text names. */
export function datesIn(text: string, at: number, timeZone: string | null): number[] {
  return splitSentences(text).flatMap((sentence) =>
    datesOfSentence(sentence, languageOf(sentence, null), at, timeZone).map((date) => date.until),
  );
}
