import { fitLines, type Line, NEVER } from '../fit-lines.js';
import { clipLine } from '../line-rule.js';
import { marker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { type DiffLine, type FileDiff, readDiff } from './read-diff.js';

/** Lines of unchanged context that are worth something on each side of a change. */
const NEAR = 3;
/** A change of up to so many lines is shown whole or not at all: a removal without what came instead says too much. */
const WHOLE_CHANGE = 16;

/**
 * Unified diffs, as git and diff write them: which files, then changed lines, then the context nearest to them. What is
 * kept are hunks that still hold: each header has the line numbers and counts of the lines under it.
 */
export const diffRule: Rule<'diff'> = {
  type: 'diff',
  mime: 'text/x-diff',
  mimes: ['text/x-diff', 'text/x-patch', 'text/diff'],
  tools: /(?:^|[_.-])(?:diff|patch|git_show)(?:$|[_.-])/i,
  accepts: isDiff,
  detects: isDiff,
  cut: cutDiff,
};

function isDiff(text: string): boolean {
  const sample = text.slice(0, 16_000);
  return (
    /^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/m.test(sample) &&
    /^[+-]/m.test(text.slice(0, 64_000))
  );
}

/** Where lines that stand together came from, so that what is kept can be written as hunks again. */
interface Place {
  readonly file: number;
  readonly hunk: number;
  /** Of a hunk's body; empty for other lines. */
  readonly body: readonly DiffLine[];
  /** Without these two a patch does not know its file. */
  readonly names: boolean;
}

function cutDiff(text: string, context: RuleContext): RuleResult | null {
  const files = readDiff(text);
  const { lines, places } = rankDiff(files);
  const { counter, maxTokens, handle } = context;
  const all = quantity(lines.length, 'changed line');
  const widest = marker(`${all}, ${all} cut`, handle, maxTokens, counter, 0.35);
  const fitted = fitLines(lines, {
    maxTokens: maxTokens - counter.count(widest) - 1,
    counter,
    note: () => '@@ -1000,10 +1000,10 @@',
    render: (kept) => writeDiff(files, lines, places, kept),
  });
  if (fitted === null) return null;
  let changed = 0;
  let other = 0;
  for (const [at, place] of places.entries()) {
    if (fitted.kept[at] === 1) continue;
    const [first] = place.body;
    if (first !== undefined && first.side !== ' ') changed += place.body.length;
    else if (lines[at]?.text.trim() !== '') other += 1;
  }
  const parts = [
    changed > 0 ? quantity(changed, 'changed line') : '',
    other > 0 ? quantity(other, 'other line') : '',
  ];
  const dropped = `${parts.filter((part) => part !== '').join(', ') || 'line ends'} cut`;
  const note = marker(dropped, handle, maxTokens, counter, 0.35);
  const marked = note === '' ? fitted.text : `${fitted.text}\n${note}`;
  return { text: counter.count(marked) <= maxTokens ? marked : fitted.text, dropped };
}

function rankDiff(files: readonly FileDiff[]): { lines: Line[]; places: Place[] } {
  const lines: Line[] = [];
  const places: Place[] = [];
  const add = (text: string, priority: number, place: Place) => {
    lines.push({ text, priority });
    places.push(place);
  };
  for (const [file, { head, hunks, other }] of files.entries()) {
    for (const text of head) {
      const names = /^(?:--- |\+\+\+ )/.test(text);
      const priority = names || text.startsWith('diff --git ') ? 0 : text.startsWith('index ') ? 8 : 3;
      add(clipLine(text), priority, { file, hunk: -1, body: [], names });
    }
    for (const [order, text] of other.entries()) {
      const priority = text.trim() === '' ? NEVER : head.length > 0 ? 4 : order < 8 ? 1 : 9;
      add(clipLine(text), priority, { file, hunk: -1, body: [], names: false });
    }
    let changes = 0;
    for (const [hunk, { lines: body }] of hunks.entries()) {
      const near = distances(body);
      for (let at = 0; at < body.length; ) {
        const size = near[at] === 0 ? changeSize(body, at) : 1;
        const together = body.slice(at, at + size);
        if (near[at] === 0) changes += size;
        const text = together.map((line) => clipLine(line.text)).join('\n');
        add(text, rankBody(near[at] ?? NEVER, changes), { file, hunk, body: together, names: false });
        at += size;
      }
    }
  }
  return { lines, places };
}

/** How many lines from here on are one change: all that are not context, in parts when there are too many. */
function changeSize(body: readonly DiffLine[], from: number): number {
  let size = 1;
  while (size < WHOLE_CHANGE && from + size < body.length && body[from + size]?.side !== ' ') size += 1;
  return size;
}

/** The first changes of every file go before the hundredth of one, all changes before context. */
function rankBody(distance: number, changes: number): number {
  if (distance === 0) return 2 + Math.min(20, 2 * Math.floor(Math.log2(1 + changes / 8)));
  return distance > NEAR ? 30 : 24 + distance;
}

/** How far each line is from the nearest change of its hunk. */
function distances(lines: readonly DiffLine[]): number[] {
  const far: number[] = lines.map((line) => (line.side === ' ' ? NEVER : 0));
  for (let at = 1; at < far.length; at += 1) far[at] = Math.min(far[at] ?? 0, (far[at - 1] ?? 0) + 1);
  for (let at = far.length - 2; at >= 0; at -= 1) far[at] = Math.min(far[at] ?? 0, (far[at + 1] ?? 0) + 1);
  return far;
}

function writeDiff(
  files: readonly FileDiff[],
  lines: readonly Line[],
  places: readonly Place[],
  kept: Uint8Array,
): string {
  const withHunks = new Set(
    places.flatMap((place, at) => (kept[at] === 1 && place.body.length > 0 ? [place.file] : [])),
  );
  const parts: string[] = [];
  let run: DiffLine[] = [];
  let texts: string[] = [];
  let open: Place | undefined;
  const close = () => {
    if (open !== undefined && run.length > 0)
      parts.push(header(run, files[open.file]?.hunks[open.hunk]?.section ?? ''), ...texts);
    run = [];
    texts = [];
  };
  for (const [at, place] of places.entries()) {
    const wanted = kept[at] === 1 || (place.names && withHunks.has(place.file));
    if (!wanted || place.body.length === 0 || place.hunk !== open?.hunk || place.file !== open.file) close();
    open = place;
    if (!wanted) continue;
    const text = lines[at]?.text ?? '';
    if (place.body.length === 0) {
      parts.push(text);
    } else {
      for (const line of place.body) run.push(line);
      texts.push(text);
    }
  }
  close();
  return parts.join('\n');
}

function header(lines: readonly DiffLine[], section: string): string {
  const before = lines.filter((line) => line.side !== '+').length;
  const after = lines.filter((line) => line.side !== '-').length;
  const { before: from = 1, after: to = 1 } = lines[0] ?? {};
  return `@@ -${range(from, before)} +${range(to, after)} @@${clipLine(section)}`;
}

/** The range of an empty side names the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
