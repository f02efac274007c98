import { describe, expect, it, vi } from 'vitest';
import { type ContractRun, text, texts } from './log-under-test.js';

export function registerDeliveryTests(run: ContractRun): void {
  const patience = { timeout: 20_000, interval: 5 };

  describe('delivery', () => {
    it('delivers each partition in order, one batch at a time', async () => {
      const topic = await run.topic(3);
      const records = Array.from({ length: 300 }, (_, i) => ({
        key: `k${i % 11}`,
        value: Buffer.from(`${i}`),
      }));
      await run.under.log.append(topic, records);
      const busy = new Set<number>();
      const consumed = await run.consume(topic, {
        maxRecords: 7,
        work: async (batch) => {
          expect(busy.has(batch.partition)).toBe(false);
          busy.add(batch.partition);
          await new Promise((resolve) => setImmediate(resolve));
          busy.delete(batch.partition);
        },
      });
      await vi.waitFor(() => expect(consumed.records).toHaveLength(300), patience);
      for (const partition of [0, 1, 2]) {
        const offsets = consumed.records.filter((r) => r.partition === partition).map((r) => r.offset);
        expect(offsets).toEqual(offsets.toSorted((a, b) => (a < b ? -1 : 1)));
      }
      expect(new Set(texts(consumed.records)).size).toBe(300);
    });

    it('wakes a subscriber that waits at the end', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('first'));
      const consumed = await run.consume(topic);
      await vi.waitFor(() => expect(consumed.records).toHaveLength(1), patience);
      for (const other of [run.under.log, await run.under.second()]) {
        const before = consumed.records.length;
        const start = performance.now();
        await other.append(topic, text('new'));
        await vi.waitFor(() => expect(consumed.records).toHaveLength(before + 1), patience);
        expect(performance.now() - start).toBeLessThan(run.options.wakeUpMs);
      }
    });

    it('starts at the offset wanted', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b', 'c'));
      const consumed = await run.consume(topic, { startAt: () => places[2]?.offset as bigint });
      await vi.waitFor(() => expect(texts(consumed.records)).toEqual(['c']), patience);
    });

    it('starts at the end with what comes next', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('old'));
      const [bounds] = await run.under.log.bounds(topic);
      const consumed = await run.consume(topic, { startAt: () => bounds?.high as bigint });
      await run.under.log.append(topic, text('new'));
      await vi.waitFor(() => expect(texts(consumed.records)).toEqual(['new']), patience);
    });

    it('delivers again after a handler has failed', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a', 'b', 'c'));
      let failures = 2;
      const consumed = await run.consume(topic, {
        work: () => {
          if (failures-- > 0) throw new Error('not yet');
        },
      });
      await vi.waitFor(() => expect(texts(consumed.records)).toEqual(['a', 'b', 'c']), patience);
      expect(consumed.fatal).toEqual([]);
    });

    it('delivers again what was handled but not checkpointed before a crash', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a', 'b'));
      const group = `group-${topic}`;
      const first = await run.consume(topic, { group, log: await run.under.second() });
      await vi.waitFor(() => expect(first.records).toHaveLength(2), patience);
      await first.subscription.stop();
      const again = await run.consume(topic, { group });
      await vi.waitFor(() => expect(texts(again.records)).toEqual(['a', 'b']), patience);
    });

    it('never takes the mirrored commit for a start position', async () => {
      const topic = await run.topic(1);
      const places = await run.under.log.append(topic, text('a', 'b'));
      const group = `group-${topic}`;
      const first = await run.consume(topic, { group });
      await vi.waitFor(() => expect(first.records).toHaveLength(2), patience);
      await first.subscription.commit(topic, 0, (places[1]?.offset as bigint) + 1n);
      await first.subscription.stop();
      const again = await run.consume(topic, { group });
      await vi.waitFor(() => expect(texts(again.records)).toEqual(['a', 'b']), patience);
    });

    it('keeps batches within the limits', async () => {
      const topic = await run.topic(1);
      const values = Array.from({ length: 60 }, (_, i) => `${i}`.padEnd(300, '.'));
      await run.under.log.append(topic, text(...values));
      const byCount = await run.consume(topic, { maxRecords: 10 });
      await vi.waitFor(() => expect(byCount.records).toHaveLength(60), patience);
      expect(Math.max(...byCount.batches.map((batch) => batch.records.length))).toBeLessThanOrEqual(10);
      const bySize = await run.consume(topic, { maxBytes: 1000 });
      await vi.waitFor(() => expect(bySize.records).toHaveLength(60), patience);
      expect(Math.max(...bySize.batches.map((batch) => batch.records.length))).toBeLessThanOrEqual(3);
    });

    it('delivers a record that alone is over the limit', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('small', 'x'.repeat(5000), 'end'));
      const consumed = await run.consume(topic, { maxBytes: 1000 });
      await vi.waitFor(() => expect(consumed.records).toHaveLength(3), patience);
      expect(texts(consumed.records)[1]).toHaveLength(5000);
    });

    it('waits for running handlers on stop, with their signal aborted', async () => {
      const topic = await run.topic(1);
      await run.under.log.append(topic, text('a', 'b'));
      const events: string[] = [];
      const consumed = await run.consume(topic, {
        maxRecords: 1,
        work: async (batch) => {
          events.push('started');
          await new Promise((resolve) => batch.signal.addEventListener('abort', resolve, { once: true }));
          await new Promise((resolve) => setImmediate(resolve));
          events.push('ended');
        },
      });
      await vi.waitFor(() => expect(events).toEqual(['started']), patience);
      await Promise.all([consumed.subscription.stop(), consumed.subscription.stop()]);
      events.push('stopped');
      expect(events).toEqual(['started', 'ended', 'stopped']);
    });
  });
}
