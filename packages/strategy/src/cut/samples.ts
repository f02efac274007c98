/**
 * What a content type brings for the properties that hold for every rule (`every-rule.test.ts`): `samples.ts` in the
 * folder of each rule. Nothing of the product imports it.
 */
export interface Samples {
  /** Texts as tools answer them, long enough to be cut at 200 tokens. Each is detected as the type. */
  readonly natural: Readonly<Record<string, string>>;
  /** Lines or fragments of which random texts are put together, and what stands between them. */
  readonly parts: readonly string[];
  readonly between: string;
  /** Texts of about so many characters that a careless rule takes too long for. */
  readonly hostile: Readonly<Record<string, (size: number) => string>>;
  /** What is wrong with the form of a rendition of this type, in words; null where it is sound. */
  fault(rendition: string, original: string): string | null;
}

/** A line that a cut puts in place of what is missing, and no line of the original. */
export function isNote(line: string): boolean {
  return /^\s*(?:\[… .*\]|\[…\]|…|… .*|\[[\d,]+ rows?\])$/.test(line.slice(0, 500));
}

/** The first line of the rendition that is neither a note nor a line of the original, whole or by its beginning. */
export function foreignLine(rendition: string, original: string): string | null {
  const lines = new Set(original.split('\n').map((line) => line.trim()));
  for (const line of rendition.split('\n')) {
    const text = line.trim();
    if (text === '' || isNote(text) || lines.has(text)) continue;
    const shown = text.split(' [… ', 1)[0] ?? '';
    if (!original.includes(shown)) return `a line of its own: ${text.slice(0, 120)}`;
  }
  return null;
}

/** A fence of code that the rendition leaves open. Counts the fences by hand, not as the rules do. */
export function openCode(rendition: string): string | null {
  let open = '';
  for (const line of rendition.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line.slice(0, 200));
    if (mark === null) continue;
    const [, fence = '', rest = ''] = mark;
    if (open === '') open = fence.startsWith('`') && rest.includes('`') ? '' : fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = '';
  }
  return open === '' ? null : `code that is not closed by ${open}`;
}
