import type { LogRecord } from '@palimpsest/log';
import { describe, expect, it, vi } from 'vitest';
import { PartitionFeed } from './partition-feed.js';

const never = new AbortController().signal;
const records = (from: number, count: number, size = 10): LogRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    topic: 't',
    partition: 0,
    offset: BigInt(from + i),
    key: null,
    value: Buffer.alloc(size),
    headers: {},
    timestamp: 0,
  }));
const page = (from: number, count: number, size?: number) => ({
  records: records(from, count, size),
  next: BigInt(from + count),
});
const offsets = (found: LogRecord[]): number[] => found.map(({ offset }) => Number(offset));

describe('a feed', () => {
  it('gives at most what was asked for, in order', async () => {
    const feed = new PartitionFeed('t', 0, 5n, 1000, () => undefined);
    feed.accept(5n, page(5, 3));
    feed.accept(8n, page(8, 3));
    expect(offsets(await feed.next(4, 1000, never))).toEqual([5, 6, 7, 8]);
    expect(offsets(await feed.next(4, 1000, never))).toEqual([9, 10]);
  });

  it('keeps to the bytes asked for, but gives one record whatever its size', async () => {
    const feed = new PartitionFeed('t', 0, 0n, 1000, () => undefined);
    feed.accept(0n, page(0, 4, 40));
    expect(offsets(await feed.next(10, 90, never))).toEqual([0, 1]);
    expect(offsets(await feed.next(10, 5, never))).toEqual([2]);
  });

  it('drops an answer to a question it no longer asks', async () => {
    const feed = new PartitionFeed('t', 0, 0n, 1000, () => undefined);
    feed.accept(0n, page(0, 2));
    feed.accept(0n, page(0, 2));
    expect(offsets(await feed.next(10, 1000, never))).toEqual([0, 1]);
    expect(feed.position).toBe(2n);
  });

  it('wants no more when it is full, and says so when it does again', async () => {
    const wanted = vi.fn();
    const feed = new PartitionFeed('t', 0, 0n, 100, wanted);
    feed.accept(0n, page(0, 12, 10));
    expect(feed.wants).toBe(false);
    await feed.next(2, 1000, never);
    expect([feed.wants, wanted.mock.calls.length]).toEqual([false, 0]);
    await feed.next(1, 1000, never);
    expect([feed.wants, wanted.mock.calls.length]).toEqual([true, 1]);
  });

  it('wakes who waits for a record', async () => {
    const feed = new PartitionFeed('t', 0, 0n, 1000, () => undefined);
    const waiting = feed.next(10, 1000, never);
    feed.accept(0n, { records: [], next: 3n });
    feed.accept(3n, page(3, 1));
    expect(offsets(await waiting)).toEqual([3]);
  });

  it('gives what came before an error first', async () => {
    const feed = new PartitionFeed('t', 0, 0n, 1000, () => undefined);
    feed.accept(0n, page(0, 1));
    feed.fail(new Error('gone'));
    expect(feed.wants).toBe(false);
    expect(offsets(await feed.next(10, 1000, never))).toEqual([0]);
    await expect(feed.next(10, 1000, never)).rejects.toThrow('gone');
  });

  it('gives nothing to who gives up', async () => {
    const feed = new PartitionFeed('t', 0, 0n, 1000, () => undefined);
    const abort = new AbortController();
    const waiting = feed.next(10, 1000, abort.signal);
    abort.abort();
    expect(await waiting).toEqual([]);
  });
});
