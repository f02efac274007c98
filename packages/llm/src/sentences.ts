/** Longest sentence in characters: text without any mark (Thai, a log line) is cut at a space, else at this length. */
export const LONGEST_SENTENCE = 400;

/**
 * Splits a text into sentences, in order, without their surrounding white space. Works for scripts that put a space
 * after the mark (en, ru, uk) and for those that do not (zh, ja); a decimal point, a domain, an initial or a common
 * abbreviation ends nothing. Linear. Every character but white space is in exactly one sentence.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  const push = (to: number): void => {
    pushBounded(text.slice(from, to).trim(), sentences);
    from = to;
  };
  for (const mark of text.matchAll(MARK)) {
    const end = mark.index + mark[0].length;
    if (mark[0].includes('\n') || WIDE.test(mark[0]) || endsSentence(text, from, mark.index, end)) push(end);
  }
  push(text.length);
  return sentences;
}

const MARK = /\n+|[.!?…]+["'”»)\]]{0,3}|[。！？｡।]+[」』”）]{0,3}/gu;
const WIDE = /[。！？｡।]/u;
/** Before a point that ends nothing. Single letters are initials: `т. е.`, `J. Smith`. */
const ABBREVIATION =
  /(?:^|[^\p{L}])(?:\p{L}|mr|mrs|ms|dr|prof|vs|etc|inc|ltd|no|approx|ул|вул|руб|грн|коп|тыс|тис|млн|млрд|им|ім|см|стр|др|пр|просп|буд|кв)$/iu;

function endsSentence(text: string, from: number, at: number, end: number): boolean {
  const next = text[end];
  if (next !== undefined && !/\s/u.test(next)) return false;
  if (text[at] !== '.' || text[at + 1] === '.') return true;
  return !ABBREVIATION.test(text.slice(Math.max(from, at - 8), at));
}

function pushBounded(sentence: string, sentences: string[]): void {
  let rest = sentence;
  while (rest.length > LONGEST_SENTENCE) {
    const space = rest.lastIndexOf(' ', LONGEST_SENTENCE);
    let cut = space > LONGEST_SENTENCE / 2 ? space : LONGEST_SENTENCE;
    // Not inside a surrogate pair, and not before a combining mark, joiner or variation selector.
    while (
      cut > 1 &&
      (/[\udc00-\udfff]/u.test(rest[cut] ?? '') || /^[\p{M}\u200d]/u.test(rest.slice(cut, cut + 2)))
    )
      cut -= 1;
    sentences.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  if (rest.length > 0) sentences.push(rest);
}

/**
 * Cuts a text at the end of a sentence so that `count` of it is at most `limit`. Empty when not even the first
 * sentence fits. Lines stay lines.
 */
export function cutAtSentence(text: string, limit: number, count: (text: string) => number): string {
  if (count(text) <= limit) return text;
  let kept = '';
  for (const line of text.split('\n')) {
    let separator = kept === '' ? '' : '\n';
    for (const sentence of splitSentences(line)) {
      const longer = kept + separator + sentence;
      if (count(longer) > limit) return kept;
      kept = longer;
      separator = ' ';
    }
  }
  return kept;
}
