import { soundCutBefore } from '@palimpsest/tokens';
import { fitLines, type FittedLines, type Line, NEVER } from '../fit-lines.js';
import { marker, number, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { shortenLine } from '../shorten-line.js';
import { findRepetitions } from './fold-recursion.js';
import { PYTHON_HEADER } from './line-shapes.js';
import { rankPieces } from './rank-pieces.js';
import { countFrames, type Piece, readTrace } from './read-trace.js';

/** Longer frames and log lines are shown by their beginning. */
const LONGEST_LINE = 400;
/** The share of the cap that error lines may take before the longest of them are shortened. */
const NAMES_SHARE = 0.85;
const SHORTEST_NAME = 12;
const MOST_MEASURED = 200;

/**
 * Java, Python, Node, Go, .NET, Rust (Ruby, PHP and Dart frames are known too): the first line, every line
 * that names an exception, application frames. Library frames fold to a count, recursion to one round and
 * a number; text around the trace is kept in part. When not all causes fit, the last is kept.
 */
export const stackTraceRule: Rule<'stack-trace'> = {
  type: 'stack-trace',
  mime: 'text/plain',
  mimes: ['text/x-stacktrace', 'application/x-stacktrace'],
  tools: null,
  accepts: (text) => countFrames(text, 1) >= 1,
  detects: (text, isError) =>
    text.includes(PYTHON_HEADER) ||
    /^goroutine \d+ \[|panicked at |^Caused by:/m.test(text) ||
    countFrames(text, isError ? 1 : 2) >= (isError ? 1 : 2),
  cut: cutStackTrace,
};

function cutStackTrace(text: string, context: RuleContext): RuleResult | null {
  const { counter, maxTokens, handle } = context;
  const pieces = readTrace(text);
  const repeated = markRepetitions(pieces);
  const ranks = rankPieces(pieces, repeated.folded);
  const whole = `${describe(pieces, 0, pieces.length, repeated.folded)} cut`;
  const widest = marker(whole, handle, maxTokens, counter, 0.35);
  const room = maxTokens - counter.count(widest) - 1;
  const lines = shortenNames(
    pieces.map((piece, at) => ({ text: brief(piece.text), priority: ranks[at] ?? NEVER })),
    pieces,
    room,
    context,
  );
  const notes = (from: number, to: number) => {
    const what = describe(pieces, from, to, repeated.folded);
    const rounds = repeated.note.get(from) ?? repeated.note.get(nextFolded(repeated.folded, from, to));
    return what === '' ? null : `\t… ${what}${rounds === undefined ? '' : ` (${rounds})`}`;
  };
  const shortNotes = (from: number, to: number) => {
    const frames = pieces.slice(from, to).reduce((sum, piece) => sum + framesOf(piece), 0);
    return frames === 0 ? null : `\t… ${quantity(frames, 'frame')}`;
  };
  const fitted = fitNames(lines, room, context, [notes, shortNotes]);
  if (fitted === null) return null;
  const missing = pieces.filter((_, at) => fitted.kept[at] === 0);
  const dropped = `${describe(missing, 0, missing.length, new Uint8Array(missing.length)) || 'line ends'} cut`;
  const frames = missing.reduce((sum, piece) => sum + framesOf(piece), 0);
  const named = handle === null ? '' : `; artifact ${handle}`;
  const ends = [
    handle === null ? `[… ${dropped}]` : `[… ${dropped}; full text: artifact ${handle}]`,
    `[… ${quantity(frames, 'frame')} cut${named}]`,
    widest,
  ];
  const kept = fitted.text.trimEnd();
  const sound = ends.map((end) => `${kept}\n${end}`).find((result) => counter.count(result) <= maxTokens);
  return { text: sound ?? fitted.text, dropped };
}

type Notes = (from: number, to: number) => string | null;

/** Fits with the fullest notes in the gaps that leave room for every error line and the place of each, or with none. */
function fitNames(lines: readonly Line[], maxTokens: number, context: RuleContext, styles: readonly Notes[]) {
  const names = lines.flatMap((line, at) => (line.priority <= 5 ? [at] : []));
  let best: FittedLines | null = null;
  let most = -1;
  for (const note of [...styles, () => null]) {
    const fitted = fitLines(lines, { maxTokens, counter: context.counter, note });
    const held = fitted === null ? 0 : names.filter((at) => fitted.kept[at] === 1).length;
    if (fitted !== null && held > most) {
      best = fitted;
      most = held;
    }
    if (held === names.length) break;
  }
  return best;
}

function nextFolded(folded: Uint8Array, from: number, to: number): number {
  const at = folded.indexOf(1, from);
  return at >= 0 && at < to ? at : -1;
}

/** Which pieces only repeat the round before them, with the note for the first of each. */
function markRepetitions(pieces: readonly Piece[]): { folded: Uint8Array; note: Map<number, string> } {
  const folded = new Uint8Array(pieces.length);
  const note = new Map<number, string>();
  for (let at = 0; at < pieces.length; ) {
    let end = at;
    while (pieces[end]?.kind === 'frame') end += 1;
    for (const found of findRepetitions(pieces.slice(at, end).map(keyOf))) {
      folded.fill(1, at + found.from, at + found.from + found.length);
      const rounds = quantity(Math.floor(found.length / found.period), 'time');
      const subject = found.period === 1 ? 'one frame' : `${number(found.period)} frames`;
      note.set(at + found.from, `${subject} repeated ${rounds} more`);
    }
    at = end + 1;
  }
  return { folded, note };
}

/** A frame without what differs from call to call: addresses, offsets, arguments, its own number. */
function keyOf(piece: Piece): string {
  return piece.text
    .slice(0, 300)
    .replace(/^\s*(?:#?\d+:?\s+)?/, '')
    .replaceAll(/0x[0-9a-f]+/g, '');
}

/** What a gap holds, in words; empty when only blank lines. Numbers of earlier cuts count on. */
function describe(pieces: readonly Piece[], from: number, to: number, folded: Uint8Array): string {
  let library = 0;
  let own = 0;
  let omitted = 0;
  let rounds = 0;
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const piece = pieces[at];
    if (piece === undefined) continue;
    if (piece.kind === 'omitted') omitted += piece.count;
    else if (folded[at] === 1) rounds += 1;
    else if (piece.kind !== 'frame') lines += piece.text.trim() === '' ? 0 : 1;
    else if (piece.origin === 'application') own += 1;
    else library += 1;
  }
  const parts = [
    library > 0 ? quantity(library, 'library frame') : '',
    own > 0 ? quantity(own, 'frame') : '',
    rounds > 0 ? quantity(rounds, 'recursive frame') : '',
    omitted > 0 ? `${number(omitted)} more` : '',
    lines > 0 ? quantity(lines, 'line') : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function framesOf(piece: Piece): number {
  return piece.kind === 'frame' ? 1 : piece.count;
}

function brief(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const end = soundCutBefore(line, LONGEST_LINE - 150);
  return `${line.slice(0, end)} [… ${number(line.length - end)} characters]`;
}

/** Error lines are kept whole when all fit; otherwise the long ones are shortened to an equal share. */
function shortenNames(lines: Line[], pieces: readonly Piece[], room: number, context: RuleContext): Line[] {
  const names = lines.flatMap((line, at) => (line.priority <= 4 ? [at] : [])).slice(-MOST_MEASURED);
  const limit = Math.max(1, Math.floor(room * NAMES_SHARE));
  const whole = new Map(names.map((at) => [at, shortenLine(pieces[at]?.text ?? '', limit, context.counter)]));
  const costs = new Map(names.map((at) => [at, context.counter.count(whole.get(at) ?? '')]));
  const rankOf = (at: number) => lines[at]?.priority ?? NEVER;
  // The last cause is served first, the others share what it leaves.
  const groups = [names.filter((at) => rankOf(at) === 0), names.filter((at) => rankOf(at) !== 0)];
  let left = limit;
  for (const group of groups) {
    const available = Math.max(1, left);
    const share = equalShare(
      group.map((at) => costs.get(at) ?? 0),
      available,
    );
    for (const at of group) {
      const cost = costs.get(at) ?? 0;
      const text =
        cost <= share ? (whole.get(at) ?? '') : shortenLine(pieces[at]?.text ?? '', share, context.counter);
      lines[at] = { text, priority: rankOf(at) };
      left -= Math.min(cost, share);
    }
  }
  return lines;
}

/** The most each may take so that all fit in `limit`, what the short ones leave going to the long ones. */
function equalShare(costs: readonly number[], limit: number): number {
  let left = limit;
  const sorted = costs.toSorted((a, b) => a - b);
  for (const [index, cost] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (cost > share) return Math.min(limit, Math.max(SHORTEST_NAME, share));
    left -= cost;
  }
  return limit;
}
