import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { cut } from '../index.js';
import { narrowRecord, shapeOf } from './narrow-record.js';
import { readRecords, readTable, splitCells } from './read-records.js';
import { samples } from './samples.js';

const counter = tokenCounter();
const cutTo = (text: string, maxTokens: number) =>
  cut({ text, type: 'table' }, { maxTokens, counter, handle: 'a-1' }).text;

describe('cutting a table', () => {
  it('says how many rows, keeps the header, the first five, the last, and the handle', () => {
    const shown = cutTo(samples.natural['CSV'] ?? '', 120);
    expect(shown.split('\n').slice(0, 7)).toEqual([
      '[150 rows]',
      'id,name,price,city',
      ...[0, 1, 2, 3, 4].map((at) => `${at},name ${at},${at * 3},Lviv`),
    ]);
    expect(shown).toContain('\n149,name 149,447,Lviv\n');
    expect(shown).toMatch(/\[… \d+ rows cut; full text: artifact a-1\]$/);
  });

  it('keeps a row with line ends in a cell whole', () => {
    const shown = cutTo(samples.natural['CSV with quotes and line ends'] ?? '', 200);
    expect(shown).toContain('0,"first line, with a comma\nsecond ""quoted"" line 0",0');
    expect(shown).toContain('[150 rows]');
  });

  it.each([
    ['psql', ' id | name    | price\n----+---------+-------\n 0 | name 0 | 0', '(150 rows)'],
    ['mysql', '+----+------+\n| id | name |\n+----+------+\n| 0 | n0 |', '+----+------+\n['],
    ['kubectl', 'NAME          READY   STATUS    AGE\npod-0         1/1     Running   0d', 'pod-149'],
  ])('keeps the frame of %s', (name, head, foot) => {
    const shown = cutTo(samples.natural[name] ?? '', 140);
    expect(shown).toContain(head);
    expect(shown).toContain(foot);
  });

  it('shortens wide cells before it drops rows, quotes closed', () => {
    const shown = cutTo(samples.natural['a wide cell'] ?? '', 200);
    expect(shown).toMatch(/^0,"long text[^"\n]*…",yes$/m);
  });

  it('shows the first of many columns and counts the others', () => {
    const [, header = ''] = cutTo(samples.natural['many columns'] ?? '', 200).split('\n');
    expect(header).toMatch(/^column_0,column_1,.*,… 1\d\d more columns$/);
  });
});

describe('records and cells', () => {
  it('are read as RFC 4180 has them', () => {
    expect(readRecords('a,b\r\n"x\ny",2\n', ',')).toEqual(['a,b', '"x\ny",2', '']);
    expect(splitCells('1,"a, ""b""",,5" pipe', ',')).toEqual(['1', '"a, ""b"""', '', '5" pipe']);
  });

  it('are lines where a quote is never closed', () => {
    expect(readRecords('a,b\n"x,1\ny,2', ',')).toEqual(['a,b', '"x,1', 'y,2']);
  });

  it('do not part a doubled quote or a character of several units', () => {
    const shape = shapeOf(['a,b'], ',', 30);
    for (let at = 0; at < 6; at += 1) {
      const record = `"${'x'.repeat(at)}${'""'.repeat(40)}",1`;
      expect(narrowRecord(record, shape)).toMatch(/^"(?:[^"]|"")*…",1$/);
      expect(narrowRecord(`${'x'.repeat(at)}${'👍'.repeat(40)},1`, shape).isWellFormed()).toBe(true);
    }
  });

  it('make a table of what looks like one only', () => {
    expect(readTable('One, two, and three.\nFour went home, and five.\n')).toBeNull();
    expect(readTable('a|b\n1|2\n')?.rows).toEqual(['1|2']);
  });
});
