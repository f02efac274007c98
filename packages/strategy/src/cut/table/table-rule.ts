import { fitLines, type Line, NEVER } from '../fit-lines.js';
import { marker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { narrowRecord, shapeOf } from './narrow-record.js';
import { readTable, separatorOf } from './read-records.js';

const FIRST_ROWS = 5;
/** A record may take this share of the cap, in characters at about three to a token. */
const RECORD_SHARE = 0.3;
const CHARS_PER_TOKEN = 3;
const NARROWEST = 60;

/**
 * SQL results, CSV, TSV, pipe tables, columns of command lines: how many rows, the header, the first five, the last,
 * then more as it fits. A row is kept whole or dropped; one that is too wide is shown with shorter cells, in form.
 */
export const tableRule: Rule<'table'> = {
  type: 'table',
  mime: 'text/plain',
  mimes: ['text/csv', 'text/tab-separated-values', 'application/csv'],
  tools: /(?:^|[_.-])(?:sql|query|select|csv)(?:$|[_.-])/i,
  accepts: (text) => separatorOf(text, 2) !== null,
  detects: (text) => separatorOf(text, 4) !== null,
  cut: cutTable,
};

function cutTable(text: string, context: RuleContext): RuleResult | null {
  const table = readTable(text);
  if (table === null) return null;
  const { counter, maxTokens, handle } = context;
  const { head, rows, foot, separator } = table;
  const width = Math.max(NARROWEST, Math.floor(maxTokens * RECORD_SHARE * CHARS_PER_TOKEN));
  const shape = shapeOf(head, separator, width);
  const count = rows.filter((row) => row.trim() !== '').length;
  const line = (record: string, priority: number): Line =>
    record.trim() === '' ? { text: '', priority: NEVER } : { text: narrowRecord(record, shape), priority };
  const lines: Line[] = [
    { text: `[${quantity(count, 'row')}]`, priority: 1 },
    ...head.map((record) => line(record, 0)),
    ...rows.map((record, at) => line(record, at < FIRST_ROWS ? 2 : at === rows.length - 1 ? 3 : 4)),
    ...foot.map((record) => line(record, 3)),
  ];
  const firstRow = 1 + head.length;
  const whole = marker(`${quantity(count, 'row')} cut`, handle, maxTokens, counter, 0.35);
  const fitted = fitLines(lines, {
    maxTokens: maxTokens - counter.count(whole) - 1,
    counter,
    note: (from, to) => gapNote(lines, Math.max(from, firstRow), to, firstRow + rows.length),
  });
  if (fitted === null) return null;
  let missing = 0;
  for (let at = firstRow; at < firstRow + rows.length; at += 1) {
    if (fitted.kept[at] === 0 && lines[at]?.priority !== NEVER) missing += 1;
  }
  const dropped = missing === 0 ? 'wide cells cut' : `${quantity(missing, 'row')} cut`;
  const note = marker(dropped, handle, maxTokens, counter, 0.35);
  const marked = note === '' ? fitted.text : `${fitted.text}\n${note}`;
  return { text: counter.count(marked) <= maxTokens ? marked : fitted.text, dropped };
}

/** Says how many rows are missing between two that are shown; at the end the marker says it. */
function gapNote(lines: readonly Line[], from: number, to: number, end: number): string | null {
  if (to >= lines.length) return null;
  let rows = 0;
  for (let at = from; at < Math.min(to, end); at += 1) if (lines[at]?.priority !== NEVER) rows += 1;
  return rows === 0 ? null : `[… ${quantity(rows, 'row')}]`;
}
