/**
 * A text by its words, for comparing what a model wrote with what was said: case, letter forms, apostrophes and
 * punctuation do not count, and endings do not (`order`, `orders`; `заказа`, `заказом`). Scripts without spaces are
 * read by pairs of characters.
 */
export function normalWords(text: string): string[] {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ`´]/gu, "'")
    .replaceAll('ё', 'е');
  return folded.match(WORD)?.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [word])) ?? [];
}

const WORD = /[\p{L}\p{N}\p{M}]+(?:['@._+/-][\p{L}\p{N}\p{M}]+)*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** The words of a text, to be asked for with other endings. */
export interface WordIndex {
  has(word: string): boolean;
}

export function indexWords(words: readonly string[]): WordIndex {
  const whole = new Set(words);
  const byStart = new Map<string, string[]>();
  for (const word of whole) {
    const start = word.slice(0, SHORTEST_STEM);
    const others = byStart.get(start);
    if (others === undefined) byStart.set(start, [word]);
    else others.push(word);
  }
  return {
    has: (word) =>
      whole.has(word) ||
      (byStart.get(word.slice(0, SHORTEST_STEM)) ?? []).some((other) => isSameWord(word, other)),
  };
}

const SHORTEST_STEM = 3;

/** Words that differ in their ending only: what they share at the beginning is most of the longer one. */
function isSameWord(a: string, b: string): boolean {
  if (/\p{N}/u.test(a) || /\p{N}/u.test(b)) return false;
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared >= SHORTEST_STEM && shared >= 0.6 * Math.max(a.length, b.length);
}

/** Words that say something: no articles, pronouns, auxiliaries, nor who is speaking. */
export function contentWords(text: string): string[] {
  return normalWords(text).filter(
    (word) => !EMPTY_WORDS.has(word) && ([...word].length >= 3 || /\p{N}/u.test(word) || UNSPACED.test(word)),
  );
}

const EMPTY_WORDS = new Set(
  `the and for are was were has have had that this with from not but you your his her its our their they them she him
  will would can could should about into than then there here who what when where which been being does did done just
  any all some also actually more very user users client customer assistant agent my mine me i'm i'll i've it's
  что это как для или если его она они мне меня мой моя мое мои мои свой своя нас вас вам нам тебе тебя был была было
  были есть будет уже еще тоже так там тут вот где кто при над под без очень больше пользователь пользователя клиент
  клиента ассистент агент она себя
  що це як для або якщо його вона вони мені мене мій моя моє мої свій своя нас вас вам нам тобі тебе був була було були
  буде вже ще теж так там тут ось хто при над під без дуже більше користувач користувача клієнт клієнта асистент себе`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
