/**
 * Identifiers in a text: e-mails, URLs, paths, ids, phone numbers, amounts and dates, as written, each once, in order
 * of appearance. Pure and linear in the text: every pattern is bounded, and no run of characters is read twice over.
 * A bare number of one to three digits is not an identifier; `#12`, `12 грн`, `12.05.2024` and `A-12` are.
 */
export function identifiersOf(text: string): string[] {
  const found: Found[] = [];
  for (const { from, to } of digitZones(text)) {
    const zone = text.slice(from, to);
    for (const pattern of PHRASES) collect(zone, from, pattern, found);
  }
  for (const run of text.matchAll(RUN)) if (MARKED.test(run[0])) fromRun(run[0], run.index, found);
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  const seen = new Set<string>();
  let reached = -1;
  for (const one of found) {
    if (one.to <= reached) continue; // inside a longer one, such as a date inside a URL
    reached = one.to;
    seen.add(one.text);
  }
  return [...seen];
}

interface Found {
  from: number;
  to: number;
  text: string;
}

/** Longest identifier kept. Longer runs are payloads (base64, minified code), which nobody cites. */
const MAX_LENGTH = 200;

/** Characters that ids, paths, URLs and addresses are made of. All else, CJK letters included, ends a run. */
const RUN = /[A-Za-zА-Яа-яЁёІіЇїЄєҐґ0-9@._/\\:#+%&=?~№-]+/g;

const CURRENCY_SIGN = '[$€£¥₴₽₸₹₩]';
const CURRENCY_WORD =
  'USD|EUR|GBP|UAH|RUB|PLN|CHF|JPY|CNY|KZT|dollars?|euros?|pounds?|' +
  'грн|гривень|гривні|гривня|руб(?:лей|ля|ль)?|долл?ар(?:ов|а|ів|и)?|євро|евро|тенге|коп(?:еек|ійок)?|元|円';
const NUMBER = '\\d(?:[\\d.,\\u00a0\\u202f]|[ ](?=\\d{3})){0,20}';
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|' +
  'nov(?:ember)?|dec(?:ember)?|' +
  'января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|' +
  'січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня';

/** Identifiers with spaces inside, or with letters of other scripts. Every quantifier is bounded. */
const PHRASES: readonly RegExp[] = [
  new RegExp(`${CURRENCY_SIGN}[ \\u00a0]?${NUMBER}`, 'gu'),
  new RegExp(
    `(?<![\\p{L}\\d])${NUMBER}[ \\u00a0]?(?:${CURRENCY_SIGN}|(?:${CURRENCY_WORD})(?!\\p{L}))`,
    'giu',
  ),
  /(?<![\d.,])\d{1,3}(?:[.,]\d{1,4})?[ \u00a0]?%/gu,
  new RegExp(
    `(?<!\\d)\\d{1,2}(?:st|nd|rd|th)?[ \\u00a0](?:${MONTHS})(?!\\p{L})(?:,?[ \\u00a0]\\d{4})?`,
    'giu',
  ),
  new RegExp(
    `(?<!\\p{L})(?:${MONTHS})[ \\u00a0]\\d{1,2}(?:st|nd|rd|th)?(?!\\d)(?:,?[ \\u00a0]\\d{4})?`,
    'giu',
  ),
  /\d{2,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\d{1,2}月\d{1,2}日/gu,
  /\+\d(?:[ ()\u00a0-]{0,2}\d){6,14}/gu,
];

/**
 * Where phrases can stand: around digits, as far as the longest of them reaches from its first or last digit. Words make
 * up most of a text, and seven patterns tried at each of their letters took ten times as long.
 */
function digitZones(text: string): { from: number; to: number }[] {
  const zones: { from: number; to: number }[] = [];
  for (const digits of text.matchAll(/\d+/g)) {
    const from = Math.max(0, digits.index - PHRASE_REACH);
    const to = Math.min(text.length, digits.index + digits[0].length + PHRASE_REACH);
    const last = zones[zones.length - 1];
    if (last !== undefined && from <= last.to) last.to = to;
    else zones.push({ from, to });
  }
  return zones;
}

/** Of the longest month or currency, its spaces and the letter that would make it another word. */
const PHRASE_REACH = 24;
/** What no identifier can do without: a digit, or a mark inside the run. */
const MARKED = /[\d@/\\#№]|[.:=&?][^.:=&?]/u;

function collect(zone: string, at: number, pattern: RegExp, found: Found[]): void {
  for (const match of zone.matchAll(pattern)) {
    const value = match[0].replace(/[.,\s]{1,3}$/u, '');
    const from = at + match.index;
    found.push({ from, to: from + value.length, text: value });
  }
}

function fromRun(run: string, at: number, found: Found[]): void {
  if (run.length > MAX_LENGTH * 2) return;
  const start = leadingPunctuation(run);
  const value = run.slice(start, trailingPunctuation(run, start));
  if (value.length === 0 || value.length > MAX_LENGTH) return;
  const keep = (text: string, from = 0): void => {
    found.push({ from: at + start + from, to: at + start + from + text.length, text });
  };
  if (isWhole(value)) return keep(value);
  // `order:A-12`, `id=77123`: the value after a separator, where the whole is no identifier.
  let from = 0;
  for (const part of value.split(/[:=&?]/u)) {
    if (part.length > 0 && isWhole(part)) keep(part, from);
    from += part.length + 1;
  }
}

function leadingPunctuation(run: string): number {
  let at = 0;
  while (at < run.length && '.:?=&+%-'.includes(run[at] ?? '') && !(run[at] === '.' && run[at + 1] === '/')) {
    if (run[at] === '.' && run[at + 1] === '.') break; // ../path
    at += 1;
  }
  return at;
}

/** End of the run without closing marks; a slash that closes a path or URL stays. */
function trailingPunctuation(run: string, start: number): number {
  let at = run.length;
  while (at > start && '.:?=&+~-'.includes(run[at - 1] ?? '')) at -= 1;
  return at;
}

const EMAIL = /^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}$/u;
const URL_START = /^(?:https?|ftp|s3|file|ssh|git|postgres|mongodb|redis|kafka):\/\/./iu;
const PATH =
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]?(?:[\p{L}\d._@+-]{1,100}[\\/]){1,30}[\p{L}\d._@+-]{0,100}(?::\d{1,7}){0,2}$/u;
const ROOTED_PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/][\p{L}\d._@+-]/u;
const FILE_NAME = /^[\p{L}\d_-]{1,80}(?:\.[\p{L}\d_-]{1,80}){0,4}\.[A-Za-z][A-Za-z0-9]{0,5}(?::\d{1,7})?$/u;
const TIME_OR_DATE =
  /^(?:\d{4}-\d{1,2}-\d{1,2}(?:[T].{1,20})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?)$/u;
const NUMBERED = /^[#№]\p{L}{0,10}-?\d/u;

function isWhole(value: string): boolean {
  if (EMAIL.test(value) || URL_START.test(value) || TIME_OR_DATE.test(value) || NUMBERED.test(value))
    return true;
  if (/[\\/]/u.test(value)) return PATH.test(value) && (ROOTED_PATH.test(value) || isDeepPath(value));
  if (/[:=&?]/u.test(value)) return FILE_NAME.test(value) && value.includes('.') && /:\d+$/u.test(value);
  const digits = countOf(value, /\d/gu);
  if (digits === 0) return FILE_NAME.test(value) && KNOWN_EXTENSION.test(value);
  if (/\p{L}/u.test(value)) return !ORDINAL.test(value);
  return digits >= 4;
}

/** `and/or` is not a path; `src/app.ts` and `a/b/c` are. */
function isDeepPath(value: string): boolean {
  return (
    countOf(value, /[\\/]/gu) >= 2 || /\.[A-Za-z][A-Za-z0-9]{0,5}(?::\d+)*$/u.test(value) || /\d/u.test(value)
  );
}

const ORDINAL = /^\d{1,3}(?:st|nd|rd|th|s|k|x|го|й|я|е|ми|х|му|ю|am|pm)?$|^\d{1,3}-\p{L}+$/iu;
const KNOWN_EXTENSION =
  /\.(?:ts|tsx|js|jsx|mjs|cjs|json|ya?ml|toml|md|txt|csv|tsv|py|rb|go|rs|java|kt|cs|c|h|cpp|sql|sh|html?|css|xml|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|zip|gz|tar|log|lock|ini|cfg|conf|env|com|org|net|io|dev|ua|ru|eu)$/iu;

function countOf(value: string, pattern: RegExp): number {
  return value.match(pattern)?.length ?? 0;
}
