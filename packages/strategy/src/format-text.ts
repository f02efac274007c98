import type { Piece } from './assemble.js';
import type { Entry } from './entry.js';
import { shownText } from './fit-unit.js';

/**
 * Pieces as one text: each message under a line `### role`. A line of a message that looks like such a line is set off
 * by a backslash, so that nothing said can pass for another speaker.
 */
export function formatText(pieces: readonly Piece[]): string {
  const blocks: string[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'memory') blocks.push(block('memory', piece.text));
    else if (piece.kind === 'note') blocks.push(block(piece.title, piece.text));
    else for (const { entry } of piece.unit.entries) blocks.push(block(headingOf(entry), shownText(entry)));
  }
  return blocks.join('\n\n');
}

function headingOf(entry: Entry): string {
  if (entry.kind === 'tool_call')
    return `call ${oneLine(entry.tool ?? '')} (${oneLine(entry.call_id ?? '')})`;
  if (entry.kind === 'tool_result') {
    return `${entry.is_error === true ? 'error' : 'result'} (${oneLine(entry.call_id ?? '')})`;
  }
  return entry.role ?? 'user';
}

function block(heading: string, text: string): string {
  return `### ${heading}\n${text.replace(/^(\\*###)/gm, '\\$1')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
