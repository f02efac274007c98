/** How the cells of a row are told apart. `gap` is two spaces or more, as command lines print columns. */
export type Separator = ',' | ';' | '\t' | '|' | 'gap';

export interface Table {
  readonly separator: Separator;
  /** Names of columns with the rulers around them: never dropped. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  /** What closes it: a ruler, `(300 rows)`. */
  readonly foot: readonly string[];
}

const SEPARATORS: readonly Separator[] = ['\t', '|', ',', ';', 'gap'];
const SAMPLE = 20_000;
const DRAWN = /^[\s|+:=-]+$/;
const FOOT = /^\(?[\d,]{1,12} (?:rows?|records?)\b/i;
const GAP = / {2,}|\t+/;

/** The separator that stands equally often in each of the first records, or null when this is no table. */
export function separatorOf(text: string, leastRows: number): Separator | null {
  const sample = text.slice(0, SAMPLE);
  return (
    SEPARATORS.find((separator) => isRegular(sample, separator, text.length > SAMPLE, leastRows)) ?? null
  );
}

function isRegular(sample: string, separator: Separator, isPart: boolean, leastRows: number): boolean {
  const records = readRecords(sample, separator)
    .slice(0, 12)
    .filter((record) => record.trim() !== '' && !isRuler(record) && !FOOT.test(record.trim()));
  // The last may be broken off by the sample.
  const whole = isPart && records.length > leastRows && records.length < 12 ? records.slice(0, -1) : records;
  if (whole.length < leastRows) return false;
  if (separator === 'gap' && !/^[A-Z][A-Z0-9 _()%/-]+$/.test(whole[0]?.trim() ?? '')) return false;
  const counts = whole.map((record) => splitCells(record, separator).length - 1);
  const first = counts[0] ?? 0;
  const same = counts.filter((count) => count === first).length;
  // Commas and gaps stand in prose too: only a table has the same two or more in every line.
  return first >= (separator === '\t' || separator === '|' ? 1 : 2) && same >= counts.length * 0.9;
}

/** The table in a text, or null when no separator fits. */
export function readTable(text: string): Table | null {
  const separator = separatorOf(text, 2);
  if (separator === null) return null;
  const records = readRecords(text, separator);
  while (records.length > 0 && records.at(-1)?.trim() === '') records.pop();
  const [first = '', second = '', third = ''] = records;
  const header = isRuler(first) ? (isRuler(third) ? 3 : 1) : isRuler(second) ? 2 : 1;
  let end = records.length;
  while (end > header && isFoot(records[end - 1] ?? '')) end -= 1;
  return {
    separator,
    head: records.slice(0, header),
    rows: records.slice(header, end),
    foot: records.slice(end).filter((record) => record.trim() !== ''),
  };
}

function isFoot(record: string): boolean {
  const sample = record.slice(0, 2_000);
  return sample.trim() === '' || isRuler(sample) || FOOT.test(sample.trim());
}

/** A line that is drawn, not filled: `-----+-----`, `|:---|---:|`, `+----+`. */
function isRuler(record: string): boolean {
  const sample = record.slice(0, 2_000);
  return DRAWN.test(sample) && /[-=]{2}/.test(sample);
}

/**
 * The records of a text, without their line ends. A quoted cell may hold line ends and separators (RFC 4180); a quote
 * that is never closed is an ordinary character, and then every line is a record. One pass.
 */
export function readRecords(text: string, separator: Separator): string[] {
  const lines = text.split(/\r?\n/);
  if (!isQuoting(separator) || !text.includes('"')) return lines;
  const records: string[] = [];
  let open: string[] = [];
  for (const line of lines) {
    const inside = endsQuoted(line, separator, open.length > 0);
    open.push(line);
    if (inside) continue;
    records.push(open.join('\n'));
    open = [];
  }
  return open.length > 0 ? lines : records;
}

function isQuoting(separator: Separator): boolean {
  return separator === ',' || separator === ';' || separator === '\t';
}

/** Whether a quoted cell is open at the end of the line, given whether one was at its start. */
function endsQuoted(line: string, separator: string, wasOpen: boolean): boolean {
  let open = wasOpen;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (open && line.charAt(at + 1) === '"') at += 1;
    else if (open) open = false;
    // A quote inside of an unquoted cell is a character of it (5" pipe).
    else open = at === 0 || line.charAt(at - 1) === separator;
  }
  return open;
}

/** The cells of a record as written, quotes included. */
export function splitCells(record: string, separator: Separator): string[] {
  if (separator === 'gap') return record.trim().split(GAP);
  if (!isQuoting(separator) || !record.includes('"')) return record.split(separator);
  const cells: string[] = [];
  let start = 0;
  let open = false;
  for (let at = 0; at < record.length; at += 1) {
    const unit = record.charAt(at);
    if (unit === '"') {
      if (open && record.charAt(at + 1) === '"') at += 1;
      else if (open) open = false;
      else if (at === start) open = true;
    } else if (unit === separator && !open) {
      cells.push(record.slice(start, at));
      start = at + 1;
    }
  }
  cells.push(record.slice(start));
  return cells;
}
