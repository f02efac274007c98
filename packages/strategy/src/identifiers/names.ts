/**
 * Names of people and things in running text: two to four words in a row that begin with a capital, in Latin or
 * Cyrillic script, as written, each once. The first word of a sentence begins with a capital whatever it is, so a run
 * that opens one counts from its second word on unless two capitals remain. Linear in the text.
 */
export function namesOf(text: string): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(RUN)) {
    const words = match[0].split(/[ \u00a0]/u);
    const opens = opensSentence(text, match.index);
    // "Write to Marta Koval": of a run at the start of a sentence the first word is likely no name.
    if (opens && words.length > 2 && !KEEPS.test(words[0] as string)) words.shift();
    if (opens && words.length === 2 && COMMON.has((words[0] as string).toLowerCase())) continue;
    if (words.length >= 2) found.add(words.join(' '));
  }
  return [...found];
}

const WORD = "\\p{Lu}\\p{Ll}[\\p{Ll}\\p{M}’']{0,30}(?:-\\p{Lu}[\\p{Ll}\\p{M}’']{1,30})?";
const RUN = new RegExp(`(?<![\\p{L}\\d_])${WORD}(?:[ \\u00a0]${WORD}){1,3}(?![\\p{L}\\d_])`, 'gu');
/** A title in front of a name belongs to it. */
const KEEPS = /^(?:Mr|Mrs|Ms|Dr|Prof|Пан|Пані|Господин|Госпожа)$/u;
/** Words that open a sentence before a name of one word, as in "Hi Anna". */
const COMMON = new Set(
  (
    'a an the and but or if so then hi hello hey dear thanks yes no ok okay please sorry could can would will what when ' +
    'where who why how is are was were do does did i we you he she it they this that these those my our your there here ' +
    'здравствуйте привет да нет спасибо пожалуйста это но и а если как что кто где когда мы вы он она они я ' +
    'вітаю привіт так ні дякую будь якщо це але та як що хто де коли ми ви він вона вони'
  ).split(' '),
);

function opensSentence(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /[\s"'«(*_>-]/u.test(text[before] as string)) before -= 1;
  return before < 0 || /[.!?…:;\n]/u.test(text[before] as string);
}
