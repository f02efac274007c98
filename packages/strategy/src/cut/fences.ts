/** How a fence of Markdown opens: up to three spaces, then at least three backticks or tildes. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A fence line is short: nothing behind so many characters is looked at. */
const SAMPLE = 200;

/**
 * Follows fenced code line by line: `open` is the fence that closes what is open, or null outside of code. A fence is
 * closed by one of its own kind that is at least as long, so that code which shows a fence does not end it.
 */
export class Fences {
  open: string | null = null;

  /** Whether this line opens or closes fenced code. */
  read(line: string): boolean {
    const sample = line.length > SAMPLE ? line.slice(0, SAMPLE) : line;
    const mark = FENCE.exec(sample)?.[1];
    if (mark === undefined) return false;
    if (this.open === null) {
      // Inline code of three backticks on one line is no fence.
      if (mark.startsWith('`') && sample.slice(sample.indexOf(mark) + mark.length).includes('`'))
        return false;
      this.open = mark;
      return true;
    }
    if (!mark.startsWith(this.open) || sample.trim() !== mark) return false;
    this.open = null;
    return true;
  }
}

/** The fence that is open at `end` of the text, or null. One pass over the lines that can be fences. */
export function openFence(text: string, end = text.length): string | null {
  const fences = new Fences();
  if (!text.includes('```') && !text.includes('~~~')) return null;
  for (let from = 0; from < end; ) {
    const to = text.indexOf('\n', from);
    const stop = to < 0 || to > end ? end : to;
    fences.read(text.slice(from, Math.min(stop, from + SAMPLE)));
    from = stop + 1;
  }
  return fences.open;
}
