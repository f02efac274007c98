import { isNote, type Samples } from '../samples.js';

const rows = (make: (at: number) => string, count = 150) =>
  Array.from({ length: count }, (_, at) => make(at)).join('\n');

export const samples: Samples = {
  natural: {
    CSV: `id,name,price,city\n${rows((at) => `${at},name ${at},${at * 3},Lviv`)}`,
    'CSV with quotes and line ends': `id,note,total\n${rows((at) => `${at},"first line, with a comma\nsecond ""quoted"" line ${at}",${at * 7}`)}`,
    TSV: `id\tname\n${rows((at) => `${at}\tname of row ${at}`)}`,
    semicolons: `id;name;price\n${rows((at) => `${at};назва ${at};${at},50`)}`,
    psql: ` id | name    | price\n----+---------+-------\n${rows((at) => ` ${at} | name ${at} | ${at * 3}`)}\n(150 rows)\n`,
    mysql: `+----+------+\n| id | name |\n+----+------+\n${rows((at) => `| ${at} | n${at} |`, 250)}\n+----+------+\n`,
    kubectl: `NAME          READY   STATUS    AGE\n${rows((at) => `pod-${at}         1/1     Running   ${at}d`)}`,
    'a wide cell': `id,body,done\n${rows((at) => `${at},"${'long text of a cell, '.repeat(30)}",yes`, 30)}`,
    'many columns': `${Array.from({ length: 200 }, (_, at) => `column_${at}`).join(',')}\n${rows((at) => Array.from({ length: 200 }, (_x, column) => at * column).join(','), 20)}`,
  },
  parts: [
    'a,b,c',
    '1,2,3',
    '"x, y",2,3',
    '"open',
    '"a""b",5,6',
    '',
    'one',
    '1,2',
    '👩‍👩‍👧‍👦,é,3',
    '[… 3 rows]',
  ],
  between: '\n',
  hostile: {
    'quotes that never close': (size) => `a,b,c\n${'"a,b,c\n'.repeat(size / 7)}`,
    rulers: (size) => `a|b\n${'-'.repeat(size)}x\n`,
    'one column': (size) => `a,b,c\n${',,\n'.repeat(size / 3)}`,
    'a row of cells': (size) => `a,b,c\n1,2,3\n4,5,6\n7,8,9\n${'x,'.repeat(size / 2)}`,
    'a header of cells': (size) => `${'x,'.repeat(size / 6)}y\n`.repeat(3),
    'doubled quotes': (size) => `a,b,c\n1,2,3\n4,5,6\n"${'""'.repeat(size / 2)}",1,2\n`,
    'empty lines at the end': (size) => `a,b,c\n1,2,3\n4,5,6\n7,8,9${'\n'.repeat(size)}x`,
    gaps: (size) => `NAME  A  B\n${'x  y  z\n'.repeat(size / 8)}`,
  },
  fault: tornRow,
};

/** Every record is one of the original's, or has as many cells and is only narrower. */
function tornRow(rendition: string, original: string): string | null {
  const separator = [',', ';', '\t', '|'].find((mark) => original.split('\n', 1)[0]?.includes(mark)) ?? '  ';
  const originals = new Set(records(original).map((record) => record.trim()));
  const sizes = new Set([...originals].map((record) => cells(record, separator)));
  for (const record of records(rendition)) {
    const text = record.trim();
    if (text === '' || isNote(text) || originals.has(text)) continue;
    if (!/…/.test(text)) return `a row of its own: ${text.slice(0, 100)}`;
    const columns = cells(text, separator);
    if (!sizes.has(columns) && !/… [\d,]+ more columns$/.test(text))
      return `a row of ${columns} cells: ${text.slice(0, 100)}`;
  }
  return null;
}

/** Lines, joined while a quote is open. */
function records(text: string): string[] {
  const whole: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if ((open.match(/"/g) ?? []).length % 2 === 1) continue;
    whole.push(open);
    open = '';
  }
  return open === '' ? whole : [...whole, ...open.split('\n')];
}

function cells(record: string, separator: string): number {
  return record.replaceAll(/"(?:[^"]|"")*"/g, '').split(separator === '  ' ? / {2,}/ : separator).length;
}
