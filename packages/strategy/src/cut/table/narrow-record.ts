import { soundCutBefore } from '@palimpsest/tokens';
import { number } from '../marker.js';
import { type Separator, splitCells } from './read-records.js';

/** A cell is not made shorter than this. */
const LEAST_CELL = 12;

/** Which columns a table is shown with, and how wide a record may be. In characters. */
export interface Shape {
  readonly separator: Separator;
  readonly columns: number;
  readonly width: number;
}

/** As many of the first columns as leave each record of the sample room for cells that say something. */
export function shapeOf(head: readonly string[], separator: Separator, width: number): Shape {
  const names = splitCells(head.at(head.length === 3 ? 1 : 0) ?? '', separator);
  let columns = 0;
  let used = 0;
  for (const name of names) {
    used += Math.min(name.trim().length, LEAST_CELL) + 1;
    if (used > width && columns > 0) break;
    columns += 1;
  }
  // One more column that only says that others are missing is not worth dropping one for.
  return { separator, columns: names.length - columns <= 1 ? Number.POSITIVE_INFINITY : columns, width };
}

/**
 * The record within the shape, still a record: its long cells shortened and marked by `…`, columns beyond the shape
 * counted in one last cell, quotes closed. The record itself when it is narrow enough.
 */
export function narrowRecord(record: string, shape: Shape): string {
  const { separator, columns, width } = shape;
  if (record.length <= width && columns === Number.POSITIVE_INFINITY) return record;
  const cells = splitCells(record, separator);
  const shown = cells.slice(0, columns);
  const cap = cellCap(
    shown.map((cell) => cell.length),
    width,
  );
  const parts = shown.map((cell) => narrowCell(cell, cap));
  if (cells.length > columns) parts.push(`… ${number(cells.length - columns)} more columns`);
  return parts.join(separator === 'gap' ? '  ' : separator);
}

/** The most characters of a cell so that all fit: short cells stay whole, the long ones share what is left. */
function cellCap(sizes: readonly number[], width: number): number {
  let left = width - sizes.length;
  const sorted = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return Math.max(LEAST_CELL, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function narrowCell(cell: string, cap: number): string {
  if (cell.length <= cap) return cell;
  const isQuoted = cell.startsWith('"');
  const end = soundCutBefore(cell, Math.max(1, cap - (isQuoted ? 2 : 1)));
  const kept = cell.slice(0, Math.max(end, isQuoted ? 1 : 0));
  if (!isQuoted) return `${kept}…`;
  // Half of a doubled quote would close the cell.
  let quotes = 0;
  while (quotes < kept.length - 1 && kept.charAt(kept.length - 1 - quotes) === '"') quotes += 1;
  return `${quotes % 2 === 1 ? kept.slice(0, -1) : kept}…"`;
}
