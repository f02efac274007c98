/** A stretch of a text, as the artifact readers answer it. */
export interface Lines {
  /** Lines asked for that exist, 1-based and inclusive; `to` is smaller than `from` where none does. */
  from: number;
  to: number;
  total: number;
  text: string;
  /** The bound on bytes cut the stretch short: the last line may be incomplete, and `to` says how far it goes. */
  truncated: boolean;
}

/**
 * Lines `from` to `to` (1-based, inclusive) of a text, at most `maxBytes` of UTF-8. Lines end at LF; a CR before it
 * stays, so that what is read is what was kept. A text that ends in LF has no empty last line. Never cuts inside a
 * code point.
 */
export function readLines(text: string, from: number, to: number, maxBytes: number): Lines {
  const starts = lineStarts(text);
  const total = starts.length;
  const last = Math.min(to, total);
  if (from > last) return { from, to: from - 1, total, text: '', truncated: false };
  const begin = starts[from - 1] as number;
  let end = last < total ? (starts[last] as number) - 1 : text.length;
  if (last === total && text.endsWith('\n')) end -= 1;
  const whole = text.slice(begin, end);
  if (Buffer.byteLength(whole) <= maxBytes) return { from, to: last, total, text: whole, truncated: false };
  const cut = cutBytes(whole, maxBytes);
  const reached = from + cut.split('\n').length - 1;
  return { from, to: reached, total, text: cut, truncated: true };
}

function lineStarts(text: string): number[] {
  if (text === '') return [];
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

function cutBytes(text: string, maxBytes: number): string {
  const target = new Uint8Array(maxBytes);
  const { read } = new TextEncoder().encodeInto(text, target);
  return text.slice(0, read);
}
