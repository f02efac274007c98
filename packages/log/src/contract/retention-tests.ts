import { describe, expect, it, vi } from 'vitest';
import { OffsetOutOfRangeError, type PartitionBounds } from '../event-log.js';
import { type ContractRun, text, texts } from './log-under-test.js';

export function registerRetentionTests(run: ContractRun): void {
  const patience = { timeout: 20_000, interval: 5 };
  const bounds = async (topic: string): Promise<PartitionBounds> =>
    (await run.under.log.bounds(topic))[0] as PartitionBounds;

  describe('retention', () => {
    it('deletes what lies below and leaves offsets as they were', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      const third = places[2]?.offset as bigint;
      await run.under.log.truncate(topic, 0, third);
      expect(await bounds(topic)).toEqual({ partition: 0, low: third, high: third + 1n });
      expect(texts(await run.under.log.read(topic, 0, third, 10))).toEqual(['c']);
    });

    it('never uses an offset twice, even after everything was deleted and the log opened anew', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a', 'b', 'c'));
      const { high } = await bounds(topic);
      await run.under.log.truncate(topic, 0, high);
      expect(await bounds(topic)).toEqual({ partition: 0, low: high, high });
      const [place] = await (await run.under.second()).append(topic, text('d'));
      expect(place?.offset).toBeGreaterThanOrEqual(high);
      expect(texts(await run.under.log.read(topic, 0, high, 10))).toEqual(['d']);
    });

    it('never moves the first offset kept backwards', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      await run.under.log.truncate(topic, 0, places[2]?.offset as bigint);
      await run.under.log.truncate(topic, 0, places[1]?.offset as bigint).catch(() => undefined);
      expect((await bounds(topic)).low).toBe(places[2]?.offset);
    });

    it('refuses to read below the first offset kept', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      await run.under.log.truncate(topic, 0, places[1]?.offset as bigint);
      await expect(run.under.log.read(topic, 0, 0n, 10)).rejects.toThrow(OffsetOutOfRangeError);
    });

    it('stops hard when a checkpoint lies below the first offset kept', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      await run.under.log.truncate(topic, 0, places[1]?.offset as bigint);
      const consumed = await run.consume(topic, { startAt: () => 0n });
      await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
      expect(consumed.fatal[0]).toBeInstanceOf(OffsetOutOfRangeError);
      expect(consumed.batches).toEqual([]);
    });

    it('stops hard when a checkpoint lies behind the end', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a'));
      const consumed = await run.consume(topic, { startAt: () => 500n });
      await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
      expect(consumed.fatal[0]).toBeInstanceOf(OffsetOutOfRangeError);
      await run.under.log.append(topic, text('b'));
      expect(consumed.batches).toEqual([]);
    });

    it('starts at the first one kept where there is no checkpoint', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      await run.under.log.truncate(topic, 0, places[1]?.offset as bigint);
      const consumed = await run.consume(topic);
      await vi.waitFor(() => expect(texts(consumed.records)).toEqual(['b', 'c']), patience);
    });
  });
}
