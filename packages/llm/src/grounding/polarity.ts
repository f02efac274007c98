import { normalWords } from './words.js';

/** Whether a clause denies, and whether it likes or dislikes: what a copy of it must share with it. */
export interface Polarity {
  negated: boolean;
  /** 1 likes or wants, -1 the contrary, 0 neither. */
  liking: -1 | 0 | 1;
}

const NEGATIONS =
  /^(?:not|never|cannot|neither|nor|.*n't|не|нет|никогда|ни|нельзя|немає|нема|ніколи|ні|без|without|ані)$/u;
/** `stand`, `терпеть` only ever come negated. */
const LIKING =
  /^(?:lov|lik(?:e|es|ed|ing)$|prefer|enjoy|ador|favou?r|want|stand$|bear$|любл|люби|любя|нрав|предпоч|обожа|обожн|терп|вынош|переноc|переношу|хоч|хот|подоба|перевагу|зношу|зносит)/u;
const DISLIKING = /^(?:hat(?:e|es|ed|ing)$|dislik|detest|loath|ненави|разлюб|розлюб)/u;

export function polarityOf(clause: string): Polarity {
  const words = normalWords(clause);
  const longer = / no longer | not any ?more /u.test(` ${words.join(' ')} `);
  // `no` and `нет` at the beginning answer what was said before.
  const negations = words.filter(
    (word, at) => NEGATIONS.test(word) && !(at === 0 && /^(?:нет|ні|ни)$/u.test(word)),
  );
  const negated = negations.length > 0 || longer;
  const sign = negated ? -1 : 1;
  if (words.some((word) => DISLIKING.test(word))) return { negated, liking: negated ? 1 : -1 };
  if (words.some((word) => LIKING.test(word))) return { negated, liking: sign };
  return { negated, liking: 0 };
}

/** Whether a word only denies. */
export function isNegation(word: string): boolean {
  return NEGATIONS.test(word);
}

/** Whether a word only says that something is liked or disliked. */
export function isLiking(word: string): boolean {
  return LIKING.test(word) || DISLIKING.test(word);
}

/** Whether what one clause says is not denied by the other. */
export function agree(one: Polarity, other: Polarity): boolean {
  if (one.liking !== 0 && other.liking !== 0) return one.liking === other.liking;
  return one.negated === other.negated;
}

/** The parts of a text that have one verb each, more or less: up to a mark or a `but`. */
export function clausesOf(text: string): string[] {
  return text
    .split(
      /[;:!?…\n()—–]+|[.,](?=\s|$)|[。！？、，]|\s-\s|(?<![\p{L}])(?:but|however|but rather|но|однако|а|але|проте|однак)(?![\p{L}])/iu,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}
