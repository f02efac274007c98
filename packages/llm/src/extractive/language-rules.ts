import type { ParsedResult, ParsingReference } from 'chrono-node';

/**
 * What the extractive model knows of one language: one file per language in `languages/`, listed in
 * `languages/index.ts`. Patterns are matched against one sentence of at most 400 characters, so they need no
 * bounds of their own; build them with `words` and `phrase`, which know where a word ends in any script.
 */
export interface LanguageRules {
  /** ISO 639-1. */
  code: string;
  /** Letters or words that only this language of the list has: decides which rules read a date. */
  signs: RegExp;
  /** Fallback for text of this script when no sign is found. */
  script: RegExp;
  /** Speakers as a summary names them. */
  speakers: { user: string; assistant: string; unknown: string };
  /** A sentence with one of these is worth keeping: decisions, agreements, results, refusals, promises. */
  decisions: RegExp;
  /** Conditions and guesses: such a sentence states nothing. */
  hypothetical: RegExp;
  /** A sentence that begins so is a question even without a mark. */
  questions: RegExp;
  /** What makes a value a denial: `is not 55`. */
  denials: RegExp;
  statements: readonly StatementRule[];
  /** Before a date: what makes the sentence a deadline. Matched against the text before the date. */
  deadlines: RegExp;
  parseDates(text: string, reference: ParsingReference): ParsedResult[];
}

/**
 * One way to state a fact. The pattern has a named group `subject` (or a fixed `subject` here) and may have
 * `payload`; without it the payload is the whole match, in the speaker's own words.
 */
export interface StatementRule {
  type: 'promise' | 'deadline' | 'rejection' | 'preference' | 'detail';
  pattern: RegExp;
  subject?: string;
  /** The payload must be one of these: keeps `my name is not important` out. */
  value?: 'number' | 'name' | 'contact' | 'address';
}

const START = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';

/** Whole words or word groups, any case, any script. A trailing `*` leaves the ending open. */
export function words(...list: readonly string[]): RegExp {
  return new RegExp(`${START}(?:${alternatives(list)})`, 'iu');
}

/** As `words`, only at the beginning of a sentence (after dashes and quotes). */
export function opening(...list: readonly string[]): RegExp {
  return new RegExp(`^[^\\p{L}\\p{N}]{0,4}(?:${alternatives(list)})`, 'iu');
}

/** A pattern with word borders at both ends; a space stands for any white space, ` ?` for none or any. */
export function phrase(source: string): RegExp {
  return new RegExp(START + source.replace(/ \?/gu, '\\s*').replaceAll(' ', '\\s+'), 'iu');
}

function alternatives(list: readonly string[]): string {
  return list
    .map((word) => (word.endsWith('*') ? word.slice(0, -1) : word + END))
    .join('|')
    .replaceAll(' ', '\\s+');
}

/** Rest of a clause: up to a mark that ends it. The last part of most patterns. */
export const CLAUSE = '[^,;:.!?…()\\n]{1,120}';
/** Rest of a sentence, commas included. */
export const REST = '[^;!?…\\n]{1,160}';
