import { frameOrigin, type FrameOrigin } from './library-frame.js';
import * as shape from './line-shapes.js';

/**
 * What a piece of a trace is. `headline` names an exception, `cause` a further one, `chain` says how two
 * hang together, `omitted` stands for frames that the runtime or an earlier cut left out.
 */
type PieceKind =
  | 'headline'
  | 'cause'
  | 'chain'
  | 'routine'
  | 'message'
  | 'detail'
  | 'frame'
  | 'omitted'
  | 'text';

export interface Piece {
  text: string;
  kind: PieceKind;
  origin: FrameOrigin;
  /** For `omitted`: how many frames it stands for. */
  count: number;
}

/** How far above its first frame the name of an exception is looked for (long assertion messages). */
const LOOK_BACK = 12;
/** Beyond that only a line that begins with an exception's name counts. */
const FAR_LOOK_BACK = 400;

/** Splits a text into pieces in one pass. Two-line frames (Python, Go, Rust) are one piece. */
export function readTrace(text: string): Piece[] {
  const lines = text.split('\n');
  const bare = lines.map(shape.bareLine);
  const pieces: Piece[] = [];
  let python = -1;
  let backtrace = false;
  let causes = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = bare[at] ?? '';
    const take = (kind: PieceKind, size = 1, count = 0) => {
      const whole = size === 1 ? (lines[at] ?? '') : lines.slice(at, at + size).join('\n');
      const shown = size === 1 ? line : bare.slice(at, at + size).join('\n');
      if (kind === 'frame' && pieces.at(-1)?.kind !== 'frame') nameAbove(pieces);
      pieces.push({
        text: whole,
        kind,
        origin: kind === 'frame' ? frameOrigin(shown) : 'application',
        count,
      });
      at += size - 1;
    };
    const blank = line.trim() === '';
    if (blank) causes = false;
    const omitted = shape.OMITTED.exec(line) ?? shape.REPEATED.exec(line);
    if (line.includes(shape.PYTHON_HEADER)) {
      python = indentOf(line, line.indexOf(shape.PYTHON_HEADER));
      take('message');
    } else if (shape.PYTHON_FRAME.test(line)) {
      take('frame', 1 + sourceLines(bare, at));
    } else if (omitted !== null || shape.EARLIER_MARKER.test(line)) {
      take('omitted', 1, omitted === null ? 0 : countOf(line, omitted[1] ?? '0'));
    } else if (python >= 0 && !blank && indentOf(line) <= python && pieces.at(-1)?.kind !== 'message') {
      python = -1;
      take('headline');
    } else if (shape.ANYHOW_CAUSES.test(line)) {
      causes = true;
      take('cause');
    } else if (shape.CAUSE.test(line) || (causes && !blank)) {
      take('cause');
    } else if (shape.CHAIN.test(line)) {
      take('chain');
    } else if (shape.isAtFrame(line) || isNumbered(line, bare[at + 1] ?? '')) {
      take('frame');
    } else if (shape.RUBY_FRAME.test(line)) {
      take(shape.RUBY_HEADLINE.test(line) ? 'headline' : 'frame');
    } else if (shape.RUST_BACKTRACE.test(line)) {
      backtrace = true;
      take('message');
    } else if (backtrace && shape.RUST_FRAME.test(line)) {
      take('frame', /^\s+at /.test(bare[at + 1] ?? '') ? 2 : 1);
    } else if (shape.GO_ROUTINE.test(line)) {
      take('routine');
    } else if (shape.GO_SIGNAL.test(line)) {
      take('message');
    } else if (shape.OUTRIGHT.test(line)) {
      // Rust writes the message on the line after `panicked at src/main.rs:2:5:`.
      take('headline', line.includes('panicked at ') && line.endsWith(':') && at + 1 < lines.length ? 2 : 1);
    } else if (shape.GO_PLACE.test(bare[at + 1] ?? '') && !blank && shape.GO_CALL.test(line)) {
      take('frame', 2);
    } else {
      take(afterFrame(pieces) && shape.DETAIL.test(line) ? 'detail' : 'text');
    }
  }
  return pieces;
}

/** How many pieces are frames, up to `enough`, without building any. */
export function countFrames(text: string, enough: number): number {
  let frames = 0;
  let previous = '';
  for (let from = 0; from <= text.length && frames < enough; ) {
    let to = text.indexOf('\n', from);
    if (to < 0) to = text.length;
    const line = shape.bareLine(text.slice(from, Math.min(to, from + shape.LINE_SAMPLE)));
    if (
      shape.isAtFrame(line) ||
      shape.PYTHON_FRAME.test(line) ||
      shape.RUBY_FRAME.test(line) ||
      (shape.GO_PLACE.test(line) && shape.GO_CALL.test(previous)) ||
      isNumbered(previous, line)
    ) {
      frames += 1;
    }
    previous = line;
    from = to + 1;
  }
  return frames;
}

function isNumbered(line: string, next: string): boolean {
  return shape.NUMBERED_FRAME.test(line) && (shape.hasParentheses(line) || shape.NUMBERED_FRAME.test(next));
}

/** Source and caret lines under a Python frame: those indented deeper than the frame itself. */
function sourceLines(bare: readonly string[], at: number): number {
  const indent = indentOf(bare[at] ?? '');
  let count = 0;
  while (count < 3) {
    const line = bare[at + 1 + count];
    if (line === undefined || line.trim() === '' || indentOf(line) <= indent) break;
    if (shape.PYTHON_FRAME.test(line) || shape.REPEATED.test(line)) break;
    count += 1;
  }
  return count;
}

function indentOf(line: string, from = line.search(/[^\s|]/)): number {
  const start = line.slice(0, from).lastIndexOf('|');
  return from < 0 ? 0 : from - (start + 1);
}

function countOf(line: string, first: string): number {
  const counted = line.split('(', 1)[0] ?? '';
  const numbers =
    counted.startsWith(' ') || counted.includes('…') ? counted.match(/\d[\d,]{0,11}/g) : [first];
  return (numbers ?? []).reduce((sum, digits) => sum + Number(digits.replaceAll(',', '')), 0);
}

function afterFrame(pieces: readonly Piece[]): boolean {
  const kind = pieces.at(-1)?.kind;
  return kind === 'frame' || kind === 'detail' || kind === 'omitted';
}

/** Marks the lines above a first frame that name the exception, and those between as its message. */
function nameAbove(pieces: Piece[]): void {
  let named = -1;
  let nearest = -1;
  let blanks = 0;
  const near = pieces.length - LOOK_BACK;
  const lowest = Math.max(0, pieces.length - FAR_LOOK_BACK);
  for (let at = pieces.length - 1; at >= lowest; at -= 1) {
    const piece = pieces[at];
    if (piece === undefined || piece.kind !== 'text') {
      if (piece !== undefined && piece.kind !== 'frame' && piece.kind !== 'omitted' && nearest >= 0)
        named = at + 1;
      if (piece !== undefined && isNaming(piece.kind)) nearest = -1;
      break;
    }
    if (piece.text.trim() === '') {
      blanks += 1;
      if (blanks > 2 && named >= 0) break;
      continue;
    }
    if (nearest < 0) nearest = at;
    if (at < near && named >= 0) break;
    if ((at < near ? shape.NAME_AT_START : shape.ERROR_LINE).test(piece.text.slice(0, shape.LINE_SAMPLE))) {
      piece.kind = 'headline';
      named = at;
    }
  }
  if (named < 0 && nearest >= 0) {
    const piece = pieces[nearest];
    if (piece !== undefined) piece.kind = 'headline';
  }
  for (let at = Math.max(named, lowest); named >= 0 && at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece?.kind === 'text') piece.kind = 'message';
  }
}

function isNaming(kind: PieceKind): boolean {
  return kind === 'headline' || kind === 'cause' || kind === 'routine' || kind === 'message';
}
