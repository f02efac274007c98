import { describe, expect, it, vi } from 'vitest';
import type { NewRecord } from '../event-log.js';
import { type ContractRun, text, texts } from './log-under-test.js';

export function registerGroupTests(run: ContractRun): void {
  const patience = { timeout: 30_000, interval: 5 };

  describe('groups', () => {
    it('shows everything to each group', async () => {
      const topic = await run.topic(1);
      const one = await run.consume(topic);
      const two = await run.consume(topic);
      await run.under.log.append(topic, text('a', 'b'));
      for (const consumed of [one, two]) {
        await vi.waitFor(() => expect(texts(consumed.records)).toEqual(['a', 'b']), patience);
      }
    });

    it('shares the partitions of one group between its subscriptions', async () => {
      const topic = await run.topic(6);
      const group = `group-${topic}`;
      const checkpoints = new Map<number, bigint>();
      const one = await run.consume(topic, { group, checkpoints });
      const two = await run.consume(topic, { group, checkpoints });
      let sent = 0;
      const round = async (): Promise<void> => {
        const records: NewRecord[] = Array.from({ length: 60 }, (_, i) => ({
          key: `k${i}`,
          value: Buffer.from(`${sent + i}`),
        }));
        await run.under.log.append(topic, records);
        sent += 60;
      };
      const arrived = (): Set<string> => new Set([...texts(one.records), ...texts(two.records)]);
      // The share-out may take a moment: rounds go on until both have had some.
      await vi.waitFor(async () => {
        await round();
        expect(Math.min(one.records.length, two.records.length)).toBeGreaterThan(0);
      }, patience);
      await vi.waitFor(() => expect(arrived().size).toBe(sent), patience);
      const before = [one.records.length, two.records.length] as const;
      const settled = sent;
      await round();
      await vi.waitFor(() => expect(arrived().size).toBe(sent), patience);
      const last = [...one.records.slice(before[0]), ...two.records.slice(before[1])];
      expect(texts(last).filter((value) => Number(value) >= settled)).toHaveLength(60);
      const owners = [one, two].map((consumed, i) =>
        consumed.records.slice(before[i]).map((r) => r.partition),
      );
      expect(owners[0]?.some((partition) => owners[1]?.includes(partition))).toBe(false);
    });

    it('hands the partitions of a stopped subscription to the others of its group', async () => {
      const topic = await run.topic(4);
      const group = `group-${topic}`;
      const checkpoints = new Map<number, bigint>();
      const one = await run.consume(topic, { group, checkpoints });
      const two = await run.consume(topic, { group, checkpoints });
      await one.subscription.stop();
      const keys = Array.from({ length: 40 }, (_, i) => ({ key: `k${i}`, value: Buffer.from(`${i}`) }));
      await run.under.log.append(topic, keys);
      await vi.waitFor(() => expect(new Set(texts(two.records)).size).toBe(40), patience);
    });
  });
}
