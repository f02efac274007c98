import { type Line, NEVER } from '../fit-lines.js';
import { cutLines } from '../line-rule.js';
import { quantity } from '../marker.js';
import type { Rule } from '../rule.js';
import { isAlarm, isWarning, looksLikeOutput, STAMPED } from './line-shapes.js';

const ENDS = 5;
const SAMPLE = 300;
/** A line whose like comes no more often than this says more than one of hundreds. */
const RARE = 2;
const NEIGHBOUR = 4;
const FIRST_OF_KIND = 3;

/**
 * Logs and what commands print: both ends, errors and warnings with the lines beside them, lines unlike the others,
 * then what is nearest to the ends. Lines that repeat the one before but for numbers fold to a count.
 */
export const logRule: Rule<'log'> = {
  type: 'log',
  mime: 'text/plain',
  mimes: ['text/x-log', 'application/x-log'],
  tools:
    /(?:^|[_.-])(?:logs?|journalctl|tail|bash|shell|exec|run_command|execute_command|terminal)(?:$|[_.-])/i,
  accepts: (text) => text.includes('\n'),
  detects: (text, isError) => {
    const lines = text.slice(0, 8_000).split('\n').slice(0, 40);
    if (
      lines.length >= 4 &&
      lines.filter((line) => STAMPED.test(line.slice(0, 120))).length >= lines.length / 2
    )
      return true;
    return looksLikeOutput(text, isError);
  },
  cut: (text, context) => cutLines(rankLog(foldRepeats(text.split('\n'))), 'line', context),
};

function rankLog(lines: readonly string[]): Line[] {
  const shapes = lines.map(shapeOf);
  const counts = new Map<string, number>();
  for (const shape of shapes) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  // Where most lines are unlike each other, to be unlike the others says nothing.
  const rarityTells = counts.size < lines.length / 2;
  const seen = new Map<string, number>();
  const ranked = lines.map((text, at) => {
    const shape = shapes[at] ?? '';
    const order = seen.get(shape) ?? 0;
    seen.set(shape, order + 1);
    const isRare = rarityTells && (counts.get(shape) ?? 0) <= RARE;
    return { text, priority: rank(text, at, lines.length, { isRare, isFirstOfKind: order < FIRST_OF_KIND }) };
  });
  for (const [at, line] of ranked.entries()) {
    if (line.priority !== 1) continue;
    for (const near of [ranked[at - 1], ranked[at + 1]])
      if (near !== undefined && near.priority > NEIGHBOUR) near.priority = NEIGHBOUR;
  }
  return ranked;
}

/** The same error a hundred times does not keep another one out: after the first few it is a line like others. */
function rank(
  line: string,
  at: number,
  total: number,
  kind: { isRare: boolean; isFirstOfKind: boolean },
): number {
  if (line.trim() === '') return NEVER;
  if (at === 0 || at >= total - 2) return 0;
  const sample = line.slice(0, SAMPLE);
  if (isAlarm(sample)) return kind.isFirstOfKind ? 1 : NEIGHBOUR + 1;
  if (kind.isRare || (kind.isFirstOfKind && isWarning(sample))) return 2;
  if (at < ENDS || at >= total - ENDS) return 3;
  const fromEnd = Math.min(at, total - at);
  return NEIGHBOUR + 2 + Math.min(80, Math.floor(Math.log2(fromEnd) * 4));
}

function foldRepeats(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const shape = shapeOf(line);
    let end = at + 1;
    while (end < lines.length && shapeOf(lines[end] ?? '') === shape) end += 1;
    if (end - at > 2 && shape.trim() !== '') {
      folded.push(line, `[… ${quantity(end - at - 1, 'more line')} like the one above]`);
    } else {
      for (let kept = at; kept < end; kept += 1) folded.push(lines[kept] ?? '');
    }
    at = end;
  }
  return folded;
}

function shapeOf(line: string): string {
  return line.slice(0, SAMPLE).replaceAll(/\d+/g, '0');
}
