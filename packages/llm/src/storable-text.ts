/** The text without NUL, which Postgres does not store, and with lone surrogates replaced, which no encoder takes. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD');
}
