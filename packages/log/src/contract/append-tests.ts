import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EventLog, LogRecord, NewRecord } from '../event-log.js';
import { partitionOf } from '../partition-of.js';
import { type ContractRun, text, texts } from './log-under-test.js';

export function registerAppendTests(run: ContractRun): void {
  describe('append and read', () => {
    it('creates a topic once: an existing one keeps its partitions', async () => {
      const topic = await run.topic(3);
      await run.under.log.createTopic(topic, 5);
      expect(await run.under.log.partitions(topic)).toBe(3);
    });

    it('names a topic the same for everyone, and no other topic so', async () => {
      const [topic, other] = [await run.topic(1), await run.topic(1)];
      const id = await run.under.log.topicId(topic);
      expect(id).not.toBeNull();
      expect(await (await run.under.second()).topicId(topic)).toBe(id);
      expect(await run.under.log.topicId(other)).not.toBe(id);
    });

    it('says where each record lies, in the order given', async () => {
      const topic = await run.topic(4);
      const records = Array.from({ length: 40 }, (_, i) => ({
        key: `key-${i % 7}`,
        value: Buffer.from(`${i}`),
      }));
      const places = await run.under.log.append(topic, records);
      expect(places).toHaveLength(40);
      for (const [i, place] of places.entries()) {
        expect(place.partition).toBe(partitionOf(`key-${i % 7}`, 4));
        const [found] = await run.under.log.read(topic, place.partition, place.offset, 1);
        expect(found?.value?.toString()).toBe(`${i}`);
      }
    });

    it('keeps the order of appends within a partition', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a', 'b', 'c'));
      await run.under.log.append(topic, text('d'));
      expect(texts(await run.under.log.read(topic, 0, 0n, 10))).toEqual(['a', 'b', 'c', 'd']);
    });

    it('gives back keys, values and headers byte for byte', async () => {
      const topic = await run.topic(1);
      const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
      const records: NewRecord[] = [
        {
          key: 'акме/розмова',
          value: every,
          headers: { traceparent: '00-ab', empty: '', ключ: 'знач\u0000ення' },
        },
        { key: null, value: null },
        { key: '', value: Buffer.alloc(0) },
        { key: 'nul\u0000key', value: randomBytes(3000) },
      ];
      // One by one: a log may place records without a key where it likes, here there is one partition.
      for (const record of records) await run.under.log.append(topic, [record]);
      const found = await run.under.log.read(topic, 0, 0n, 10);
      expect(found.map(shape)).toEqual(records.map(shape));
      expect(found.every((record) => record.topic === topic && record.partition === 0)).toBe(true);
    });

    it('stamps records with the time it took them', async () => {
      const topic = await run.topic(1);
      const before = Date.now();
      await run.under.log.append(topic, text('a'));
      const [record] = await run.under.log.read(topic, 0, 0n, 1);
      // The log's clock may be another machine's.
      expect(Math.abs((record as LogRecord).timestamp - before)).toBeLessThan(60_000);
    });

    it('takes an append of nothing', async () => {
      const topic = await run.topic(1);
      expect(await run.under.log.append(topic, [])).toEqual([]);
    });

    it('refuses a topic that was never created', async () => {
      await expect(run.under.log.append('contract-never-made', text('a'))).rejects.toThrow(
        /contract-never-made/,
      );
    });

    it('keeps a large record whole', async () => {
      const topic = await run.topic(1);
      const value = randomBytes(run.options.largeRecordBytes);
      await run.under.log.append(topic, [{ key: 'k', value }]);
      const [record] = await run.under.log.read(topic, 0, 0n, 1);
      expect(record?.value?.equals(value)).toBe(true);
    });

    it('reads at most the limit, from the offset wanted, and nothing at the end', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c', 'd'));
      expect(texts(await run.under.log.read(topic, 0, places[1]?.offset as bigint, 2))).toEqual(['b', 'c']);
      const [bounds] = await run.under.log.bounds(topic);
      expect(await run.under.log.read(topic, 0, bounds?.high as bigint, 2)).toEqual([]);
    });

    it('takes appends to many partitions side by side, whatever their order', async () => {
      const topic = await run.topic(5);
      const logs = [run.under.log, await run.under.second()];
      const appends = Array.from({ length: 40 }, (_, n) => {
        const keys = Array.from({ length: 10 }, (_unused, i) => `key-${n % 2 === 0 ? i : 9 - i}`);
        const records = keys.map((key) => ({ key, value: Buffer.from(`${n}`) }));
        return (logs[n % 2] as EventLog).append(topic, records);
      });
      const places = (await Promise.all(appends)).flat();
      expect(new Set(places.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(400);
    });

    it('never lets a reader miss a record of concurrent appenders', async () => {
      const topic = await run.topic(1);
      const appenders = [run.under.log, run.under.log, await run.under.second()];
      let writing = true;
      const seen: LogRecord[] = [];
      const reader = (async () => {
        for (;;) {
          const last = !writing;
          const from = seen.length === 0 ? 0n : (seen.at(-1) as LogRecord).offset + 1n;
          const page = await run.under.log.read(topic, 0, from, 1000);
          seen.push(...page);
          if (last && page.length === 0) return;
        }
      })();
      const placed = await Promise.all(appenders.map((log, i) => appendMany(log, topic, `${i}`)));
      writing = false;
      await reader;
      const offsets = placed.flat();
      expect(seen.map((record) => record.offset)).toEqual(offsets.toSorted((a, b) => (a < b ? -1 : 1)));
      for (const [i, mine] of placed.entries()) {
        const values = texts(seen).filter((value) => value.startsWith(`${i}-`));
        expect(values).toEqual(mine.map((_, n) => `${i}-${n}`));
      }
    });
  });
}

function shape({ key, value, headers }: NewRecord): unknown {
  return { key, value, headers: headers ?? {} };
}

/** Appends 90 records in calls of one to five, each after the one before; answers with their offsets. */
async function appendMany(log: EventLog, topic: string, name: string): Promise<bigint[]> {
  const offsets: bigint[] = [];
  for (let n = 0, size = 1; n < 90; n += size, size = (size % 5) + 1) {
    const values = Array.from({ length: Math.min(size, 90 - n) }, (_, i) => `${name}-${n + i}`);
    offsets.push(...(await log.append(topic, text(...values))).map((place) => place.offset));
  }
  return offsets;
}
