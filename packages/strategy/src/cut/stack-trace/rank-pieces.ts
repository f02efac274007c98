import { NEVER } from '../fit-lines.js';
import { ERROR_LINE, LINE_SAMPLE } from './line-shapes.js';
import type { Piece } from './read-trace.js';

const MESSAGE_LINES = 3;
const FRAMES_OF_A_BLOCK = 8;
const SURROUNDING_LINES = 5;
const NAMES_AT_EACH_END = 20;
const ROUTINES = 2;

/**
 * The order in which pieces are given room, as a priority for each: the last cause, the first error, the
 * first line (0 to 2), the other causes (3, 4), then where each was thrown, messages, application frames,
 * and last the text around. A block's library frames count as its own when it has no others.
 */
export function rankPieces(pieces: readonly Piece[], folded: Uint8Array): number[] {
  const ranks = pieces.map((piece) => rankAlone(piece));
  rankNames(pieces, ranks);
  rankFrames(pieces, folded, ranks);
  rankSurroundings(pieces, ranks);
  return ranks;
}

function rankAlone(piece: Piece): number {
  if (piece.text.trim() === '') return NEVER;
  switch (piece.kind) {
    case 'headline':
    case 'cause':
      return 3;
    case 'chain':
      return 4;
    case 'message':
    case 'detail':
      return 9;
    case 'text':
      return ERROR_LINE.test(piece.text.slice(0, LINE_SAMPLE)) ? 8 : 11;
    default:
      return NEVER;
  }
}

function rankNames(pieces: readonly Piece[], ranks: number[]): void {
  const names = pieces.flatMap((piece, at) =>
    piece.kind === 'headline' || piece.kind === 'cause' ? [at] : [],
  );
  for (const at of names.slice(NAMES_AT_EACH_END, -NAMES_AT_EACH_END)) ranks[at] = 7;
  const first = pieces.findIndex((piece) => piece.text.trim() !== '');
  if (first >= 0) ranks[first] = 2;
  if (names[0] !== undefined) ranks[names[0]] = 1;
  // Java's root cause: the last at the outer level, behind which a suppressed block may still follow.
  const outer = names.findLast((at) => pieces[at]?.text.startsWith('Caused by'));
  if (outer !== undefined) ranks[outer] = 0;
  const last = names.at(-1);
  if (last !== undefined) ranks[last] = 0;
}

function rankFrames(pieces: readonly Piece[], folded: Uint8Array, ranks: number[]): void {
  const thirdParty = !pieces.some((piece) => piece.kind === 'frame' && piece.origin === 'application');
  let block: number[] = [];
  let messages = 0;
  let routines = 0;
  const close = () => {
    rankBlock(block, pieces, folded, ranks, routines > 1 ? 3 : 0, thirdParty);
    block = [];
  };
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind === 'frame') {
      block.push(at);
    } else if (piece.kind === 'headline' || piece.kind === 'cause' || piece.kind === 'routine') {
      close();
      messages = 0;
      if (piece.kind === 'routine') {
        routines += 1;
        ranks[at] = routines <= ROUTINES ? 6 : 12;
      }
    } else if (piece.kind === 'message' || piece.kind === 'detail') {
      messages += 1;
      if (messages <= MESSAGE_LINES && piece.text.trim() !== '') ranks[at] = Math.min(ranks[at] ?? NEVER, 6);
    }
  }
  close();
}

function rankBlock(
  block: readonly number[],
  pieces: readonly Piece[],
  folded: Uint8Array,
  ranks: number[],
  later: number,
  thirdPartyIsOwn: boolean,
): void {
  const open = block.filter((at) => folded[at] === 0);
  const isOwn = (at: number) => {
    const origin = pieces[at]?.origin;
    return origin === 'application' || (thirdPartyIsOwn && origin === 'third-party');
  };
  // Python writes the place of the fault last, all others first.
  if (pieces[open[0] ?? -1]?.text.includes('File "')) open.reverse();
  const own = open.filter(isOwn);
  for (const [order, at] of own.entries()) {
    ranks[at] = (order === 0 ? 5 : order < FRAMES_OF_A_BLOCK ? 7 : 10) + later;
  }
  if (own.length === 0 && open[0] !== undefined) ranks[open[0]] = 7 + later;
  // The frame that recurs is shown whosever it is: without it the number says nothing.
  for (const at of block) {
    if (folded[at] === 0 && folded[at + 1] === 1) ranks[at] = Math.min(ranks[at] ?? NEVER, 6 + later);
  }
}

function rankSurroundings(pieces: readonly Piece[], ranks: number[]): void {
  const text = pieces.flatMap((piece, at) => (piece.kind === 'text' && piece.text.trim() !== '' ? [at] : []));
  for (const at of [...text.slice(0, SURROUNDING_LINES), ...text.slice(-SURROUNDING_LINES)]) {
    ranks[at] = Math.min(ranks[at] ?? NEVER, 9);
  }
  for (const at of [...text.slice(0, 1), ...text.slice(-2)]) ranks[at] = Math.min(ranks[at] ?? NEVER, 7);
}
