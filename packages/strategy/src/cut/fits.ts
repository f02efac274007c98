import type { Counter } from './rule.js';

/** No tokenizer in use packs more characters than this into a token on average over a long text. */
const GENEROUS_CHARS_PER_TOKEN = 16;
const SLACK_TOKENS = 64;

/**
 * Whether the text is within the cap. A text far over it is refused by its beginning alone, so the work is
 * bounded by the cap and not by the text.
 */
export function fits(text: string, maxTokens: number, counter: Counter): boolean {
  if (text === '') return true;
  if (maxTokens <= 0) return false;
  const probe = GENEROUS_CHARS_PER_TOKEN * (maxTokens + SLACK_TOKENS);
  if (text.length > 2 * probe && counter.count(text.slice(0, probe)) > maxTokens + SLACK_TOKENS) return false;
  return counter.count(text) <= maxTokens;
}
