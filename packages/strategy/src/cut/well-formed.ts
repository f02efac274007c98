/** In a Unicode pattern only surrogates without their partner match. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/**
 * The text as Postgres and UTF-8 can hold it: NUL and lone surrogates become U+FFFD, one for one, so the
 * length stays. Linear time.
 */
export function wellFormed(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replace(UNSTORABLE, '\uFFFD');
}
