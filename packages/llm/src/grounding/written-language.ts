const SCRIPTS = [
  ['latin', /\p{Script=Latin}/gu],
  ['cyrillic', /\p{Script=Cyrillic}/gu],
  ['cjk', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['hangul', /\p{Script=Hangul}/gu],
  ['arabic', /\p{Script=Arabic}/gu],
  ['hebrew', /\p{Script=Hebrew}/gu],
  ['greek', /\p{Script=Greek}/gu],
  ['devanagari', /\p{Script=Devanagari}/gu],
  ['thai', /\p{Script=Thai}/gu],
] as const;

/** Languages not written in Latin letters, by ISO 639-1. */
const SCRIPT_OF: Record<string, string> = {
  ...Object.fromEntries(
    ['ru', 'uk', 'be', 'bg', 'mk', 'kk', 'ky', 'mn', 'tg'].map((code) => [code, 'cyrillic']),
  ),
  zh: 'cjk',
  ja: 'cjk',
  ko: 'hangul',
  ar: 'arabic',
  fa: 'arabic',
  ur: 'arabic',
  he: 'hebrew',
  el: 'greek',
  hi: 'devanagari',
  mr: 'devanagari',
  th: 'thai',
};

/** Marks of languages that share a script: letters only one has, or its commonest small words. */
const MARKS: Record<string, { script: string; sign: RegExp }> = {
  ru: { script: 'cyrillic', sign: /[ыэъё]|(?<!\p{L})(?:что|это|для|или|как|его|мы|и)(?!\p{L})/giu },
  uk: { script: 'cyrillic', sign: /[іїєґ]|(?<!\p{L})(?:що|це|або|як|його|ми|та|й)(?!\p{L})/giu },
  en: { script: 'latin', sign: /(?<!\p{L})(?:the|and|of|to|is|was|that|for|with|it|has|will)(?!\p{L})/giu },
  de: {
    script: 'latin',
    sign: /(?<!\p{L})(?:der|die|das|und|ist|nicht|mit|ein|eine|für|von|hat)(?!\p{L})/giu,
  },
  fr: { script: 'latin', sign: /(?<!\p{L})(?:le|la|les|et|des|est|une|que|pour|dans|du)(?!\p{L})/giu },
  es: { script: 'latin', sign: /(?<!\p{L})(?:el|los|las|y|que|una|por|con|para|es|del)(?!\p{L})/giu },
  pl: { script: 'latin', sign: /(?<!\p{L})(?:i|w|nie|że|na|się|jest|z|do|dla)(?!\p{L})/giu },
};
/** Fewest marks, and how much more than the next language has, to be sure. */
const SURE = 3;
const MARGIN = 3;

/** ISO 639-1 of a language where a text is surely written in it, else null: few words, an unknown or a mixed language. */
export function surelyWrittenIn(text: string): string | null {
  const script = scriptsOf(text)[0];
  const counts = Object.entries(MARKS)
    .filter(([, mark]) => mark.script === script)
    .map(([code, { sign }]) => ({ code, count: text.match(sign)?.length ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
  const [first, second] = counts;
  if (first === undefined || first.count < SURE || first.count < MARGIN * (second?.count ?? 0)) return null;
  return first.code;
}

/**
 * Whether an answer is in another language than it should be: than `language` (ISO 639-1, with or without a region),
 * else than its source. Where that is not sure, it is not.
 */
export function isInAnotherLanguage(answer: string, source: string, language: string | null): boolean {
  const wanted = language?.toLowerCase().split(/[-_]/u)[0] ?? null;
  // Names and code of the source are kept as written: they say nothing about the language of the answer.
  const known = new Set(source.match(/\p{L}+/gu) ?? []);
  const own = answer.replace(/\p{L}+/gu, (word) => (known.has(word) && [...word].length > 3 ? ' ' : word));
  const script = scriptsOf(own)[0] ?? null;
  const written = surelyWrittenIn(answer);
  if (wanted !== null) {
    if (script !== null && script !== (SCRIPT_OF[wanted] ?? 'latin')) return true;
    return written !== null && wanted in MARKS && written !== wanted;
  }
  if (script !== null && !scriptsOf(source).includes(script)) return true;
  const of = surelyWrittenIn(source);
  return of !== null && written !== null && of !== written;
}

/** Scripts of a text that have at least a tenth of its letters, the most used first; few letters say nothing. */
function scriptsOf(text: string): string[] {
  const counts = SCRIPTS.map(([name, letters]) => ({ name, count: text.match(letters)?.length ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return counts
    .filter(({ count }) => count >= 4 && count * 10 >= all)
    .toSorted((a, b) => b.count - a.count)
    .map(({ name }) => name);
}
