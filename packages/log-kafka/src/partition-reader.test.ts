import { type LogRecord, OffsetOutOfRangeError } from '@palimpsest/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FetchOutOfRange } from './fetcher.js';
import { MissingTopicError, TopicMadeAnewError } from './kafka-error.js';
import { PartitionFeed } from './partition-feed.js';
import { PartitionReader, type ReaderOptions } from './partition-reader.js';
import { Turns } from '@palimpsest/log';

const record = (offset: number): LogRecord => ({
  topic: 't',
  partition: 0,
  offset: BigInt(offset),
  key: null,
  value: null,
  headers: {},
  timestamp: 0,
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('a reader', () => {
  const opened: bigint[] = [];
  const handled: bigint[] = [];
  const fatal: unknown[] = [];
  let end: number;
  let reader: PartitionReader;

  /** Reads a partition that holds the offsets 2 to 5, unless the test says otherwise. */
  const start = (options: Partial<ReaderOptions> = {}): PartitionReader => {
    reader = new PartitionReader({
      topic: 't',
      partition: 0,
      maxRecords: 1,
      maxBytes: 1000,
      turns: new Turns(3),
      after: Promise.resolve(),
      missingTopicMs: 1000,
      open: (from) => {
        opened.push(from);
        const feed = new PartitionFeed('t', 0, from, 1000, () => undefined);
        const records = [2, 3, 4, 5].filter((offset) => offset >= from && offset < end).map(record);
        feed.accept(from, { records, next: BigInt(end) });
        return feed;
      },
      release: () => undefined,
      bounds: async () => ({ partition: 0, low: 2n, high: BigInt(end) }),
      startAt: async () => 3n,
      handler: async ({ records }) => void handled.push(...records.map(({ offset }) => offset)),
      confirmed: async () => undefined,
      onFatal: (error) => fatal.push(error),
      ...options,
    });
    return reader;
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    end = 6;
    for (const list of [opened, handled, fatal]) list.length = 0;
  });
  afterEach(async () => {
    await reader.stop();
    vi.useRealTimers();
  });

  it('starts at the checkpoint, or at the first offset kept where there is none', async () => {
    start();
    await settle();
    expect(handled).toEqual([3n, 4n, 5n]);
    await reader.stop();
    start({ startAt: async () => null });
    await settle();
    expect(opened).toEqual([3n, 2n]);
  });

  it('waits for the handler of the reader before it', async () => {
    let release: (() => void) | undefined;
    const startAt = vi.fn(async () => 3n);
    start({ after: new Promise((resolve) => (release = resolve)), startAt });
    await settle();
    expect(startAt).not.toHaveBeenCalled();
    release?.();
    await settle();
    expect(handled).toHaveLength(3);
  });

  it('asks for the checkpoint anew after a handler has failed', async () => {
    let failures = 1;
    let checkpoint = 3n;
    start({
      startAt: async () => checkpoint,
      handler: async ({ records: [first] }) => {
        if (first?.offset === 4n && failures-- > 0) throw new Error('not yet');
        handled.push(first?.offset as bigint);
        checkpoint = (first?.offset as bigint) + 1n;
      },
    });
    await settle();
    expect(handled).toEqual([3n]);
    await vi.advanceTimersByTimeAsync(100);
    expect(opened).toEqual([3n, 4n]);
    expect(handled).toEqual([3n, 4n, 5n]);
  });

  it.each([
    [1n, /below the first one kept/],
    [7n, /behind the end/],
  ])('ends the subscription where the checkpoint %d is out of range', async (wanted, message) => {
    start({ startAt: async () => wanted });
    await settle();
    expect(fatal).toEqual([expect.any(OffsetOutOfRangeError)]);
    expect(String(fatal[0])).toMatch(message);
    expect(opened).toEqual([]);
  });

  it('ends the subscription when Kafka refuses an offset and the bounds agree', async () => {
    const feed = new PartitionFeed('t', 0, 3n, 1000, () => undefined);
    start({ open: () => feed });
    await settle();
    end = 2;
    feed.fail(new FetchOutOfRange(3n));
    await settle();
    expect(fatal).toEqual([expect.any(OffsetOutOfRangeError)]);
  });

  it('starts again when Kafka refuses an offset that is within the bounds: a broker lags behind', async () => {
    const failing = new PartitionFeed('t', 0, 3n, 1000, () => undefined);
    failing.fail(new FetchOutOfRange(3n));
    const good = new PartitionFeed('t', 0, 3n, 1000, () => undefined);
    good.accept(3n, { records: [record(3)], next: 4n });
    const feeds = [failing, good];
    start({ open: () => feeds.shift() as PartitionFeed });
    await vi.advanceTimersByTimeAsync(100);
    expect(fatal).toEqual([]);
    expect(handled).toEqual([3n]);
  });

  it('bears a missing topic for a while, not for ever', async () => {
    start({ bounds: () => Promise.reject(new MissingTopicError('t')) });
    await vi.advanceTimersByTimeAsync(900);
    expect(fatal).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(fatal).toEqual([expect.any(MissingTopicError)]);
  });

  it('ends the subscription when it lacks the rights', async () => {
    const error = Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
    start({ bounds: () => Promise.reject(error) });
    await settle();
    expect(fatal).toEqual([error]);
  });

  it('ends the subscription when the topic is another one by now', async () => {
    start({ bounds: () => Promise.reject(new TopicMadeAnewError('t')) });
    await settle();
    expect(fatal).toEqual([expect.any(TopicMadeAnewError)]);
  });

  it('hands nothing over that the group may have given to another', async () => {
    let confirm: (() => void) | undefined;
    start({ confirmed: () => new Promise((resolve) => (confirm = resolve)) });
    await settle();
    expect(opened).toEqual([3n]);
    expect(handled).toEqual([]);
    confirm?.();
    await settle();
    expect(handled).toEqual([3n]);
    const stopped = reader.stop();
    confirm?.();
    await stopped;
    expect(handled).toEqual([3n]);
  });

  it('stops though the store never says where to start', async () => {
    start({ startAt: () => new Promise(() => undefined) });
    await settle();
    await reader.stop();
    expect(opened).toEqual([]);
  });
});
