import { describe, expect, it } from 'vitest';
import { committedRecords, type FetchedPartition } from './committed-records.js';

type Message = FetchedPartition['messages'][number];

const plain = (offset: number, more: Partial<Message> = {}): Message => ({
  offset: `${offset}`,
  timestamp: '5',
  key: null,
  value: Buffer.from(`${offset}`),
  batchContext: { producerId: '-1', inTransaction: false },
  ...more,
});
const inTransaction = (producerId: string, offset: number): Message =>
  plain(offset, { batchContext: { producerId, inTransaction: true } });
const marker = (producerId: string, offset: number): Message => ({
  ...inTransaction(producerId, offset),
  isControlRecord: true,
});
const page = (messages: Message[], aborted: [string, number][] = [], from = 0n) =>
  committedRecords('t', from, {
    partition: 3,
    highWatermark: '100',
    messages,
    abortedTransactions: aborted.map(([producerId, offset]) => ({ producerId, firstOffset: `${offset}` })),
  });
const offsets = (found: ReturnType<typeof page>): number[] =>
  found.records.map(({ offset }) => Number(offset));

describe('the records a reader of committed data sees', () => {
  it('leave out what lies before the offset wanted: brokers answer in whole batches', () => {
    const found = page([plain(0), plain(1), plain(2)], [], 1n);
    expect(offsets(found)).toEqual([1, 2]);
    expect(found.next).toBe(3n);
  });

  it('leave out transaction markers, and go on behind them', () => {
    const found = page([inTransaction('7', 0), marker('7', 1)]);
    expect(offsets(found)).toEqual([0]);
    expect(found.next).toBe(2n);
  });

  it('leave out an aborted transaction, and nothing of those around it', () => {
    const messages = [
      plain(0),
      inTransaction('7', 1),
      inTransaction('8', 2),
      inTransaction('7', 3),
      marker('7', 4),
      inTransaction('7', 5),
      marker('8', 6),
      marker('7', 7),
    ];
    expect(offsets(page(messages, [['7', 1]]))).toEqual([0, 2, 5]);
    expect(
      offsets(
        page(messages, [
          ['8', 2],
          ['7', 1],
        ]),
      ),
    ).toEqual([0, 5]);
    expect(
      offsets(
        page(messages, [
          ['7', 1],
          ['7', 5],
        ]),
      ),
    ).toEqual([0, 2]);
  });

  it('go on behind a page of which nothing is left', () => {
    expect(page([inTransaction('7', 4), marker('7', 5)], [['7', 4]], 4n)).toEqual({ records: [], next: 6n });
  });

  it('stay where they are when there is nothing', () => {
    expect(page([], [], 9n)).toEqual({ records: [], next: 9n });
  });

  it('have the last value of a header that comes twice, and none of another type', () => {
    const headers = { twice: [Buffer.from('a'), Buffer.from('b')], none: null, one: Buffer.from('c') };
    expect(page([plain(0, { headers })]).records[0]?.headers).toEqual({ twice: 'b', none: '', one: 'c' });
  });
});
