const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Between two of these there is always a border: no marks, joiners, Hangul, Indic or regional letters. */
const PLAIN =
  /[\u0020-\u007E\u00C0-\u024F\u0400-\u0482\u05D0-\u05EA\u0621-\u064A\u0E01-\u0E30\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF]/;
const FIRST_WINDOW = 128;

/**
 * The last grapheme border at or before `index`. Looks back only to the nearest place that is a border for
 * certain, so the cost is that of the cluster and not of the text.
 */
export function borderBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  if (isPlainBorder(text, index)) return index;
  const start = anchor(text, index);
  let border = start;
  for (const { index: at } of segmenter.segment(text.slice(start, Math.min(text.length, index + 2)))) {
    if (start + at > index) break;
    border = start + at;
  }
  return border;
}

function isPlainBorder(text: string, index: number): boolean {
  return PLAIN.test(text.charAt(index - 1)) && PLAIN.test(text.charAt(index));
}

function anchor(text: string, index: number): number {
  const lowest = Math.max(0, index - FIRST_WINDOW);
  for (let at = index; at > lowest; at -= 1) if (isPlainBorder(text, at)) return at;
  // A longer run (emoji, Indic scripts, stacked marks): look on, without a limit, so that no cluster breaks.
  for (let at = lowest; at > 0; at -= 1) if (isPlainBorder(text, at)) return at;
  return 0;
}
