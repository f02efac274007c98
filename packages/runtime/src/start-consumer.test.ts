import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  checkpointOf,
  consumerCase,
  type ConsumerCase,
  numbers,
  writeEffects,
} from '../../../test/harness/consumer-case.js';
import { RetryableError } from './index.js';

const cases: ConsumerCase[] = [];
async function open(partitions?: number): Promise<ConsumerCase> {
  const opened = await consumerCase(partitions);
  cases.push(opened);
  return opened;
}
afterEach(async () => {
  await Promise.all(cases.splice(0).map((one) => one.close()));
});

const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 5 });

describe('startConsumer', () => {
  it('handles every record once, in order, and reports no lag then', async () => {
    const at = await open();
    await at.append(numbers(50));
    const consumer = await at.start({ maxRecords: 7 });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(numbers(50));
    expect((await at.metrics.consumer_records_total.get()).values[0]?.value).toBe(50);
    await consumer.stop();
    await expect(consumer.done).resolves.toBeUndefined();
  });

  it('tells how many records are not yet handled', async () => {
    const at = await open(3);
    await at.append(numbers(9), numbers(9));
    const consumer = await at.start({ handle: () => Promise.reject(new RetryableError('later')) });
    expect(await consumer.lag()).toBe(9n);
    const gauges = (await at.metrics.consumer_lag_records.get()).values;
    expect(gauges.reduce((sum, gauge) => sum + gauge.value, 0)).toBe(9);
  });

  it.each([1, 3, 100])('has the same effects with batches of %i', async (maxRecords) => {
    const at = await open();
    await at.append(['a', 'garbage', 'b', 'c']);
    const consumer = await at.start({ maxRecords });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['a', 'b', 'c']);
    expect(await at.deadLetters()).toHaveLength(1);
  });

  it('moves the checkpoint with the writes of the handler or not at all', async () => {
    const at = await open();
    await at.append(numbers(4));
    let failures = 2;
    const seen: (bigint | undefined)[] = [];
    const consumer = await at.start({
      handle: async (tx, events, context) => {
        await writeEffects(tx, events, context);
        if (failures-- > 0) {
          seen.push(await checkpointOf(at), BigInt((await at.effects()).length));
          throw new Error('killed between the writes and the commit');
        }
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(seen).toEqual([0n, 0n, 0n, 0n]);
    expect(await checkpointOf(at)).toBe(4n);
    expect(await at.effects()).toEqual(numbers(4));
  });

  it('goes on at its checkpoint after a restart', async () => {
    const at = await open();
    await at.append(['a', 'b']);
    const first = await at.start();
    await until(async () => expect(await first.lag()).toBe(0n));
    await first.stop();
    await at.append(['c']);
    const second = await at.start();
    await until(async () => expect(await second.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['a', 'b', 'c']);
  });

  it('fails the write of a stale owner as a whole, counts it, and drops the hot state', async () => {
    const at = await open();
    await at.append(['a']);
    let rival = true;
    const dropped = vi.fn();
    const consumer = await at.start({
      dropState: dropped,
      handle: async (tx, events, context) => {
        await writeEffects(tx, events, context);
        if (!rival) return;
        rival = false;
        await at.database.pool.query('update palimpsest.checkpoints set epoch = epoch + 1');
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect((await at.metrics.stale_owner_writes_total.get()).values[0]?.value).toBe(1);
    expect(await at.effects()).toEqual(['a']);
    // Loaded, failed, left, loaded anew.
    expect(dropped.mock.calls.length).toBeGreaterThanOrEqual(3);
    const { rows } = await at.database.pool.query('select epoch from palimpsest.checkpoints');
    expect(rows).toEqual([{ epoch: '3' }]);
  });

  it('skips tombstones on purpose and counts them', async () => {
    const at = await open();
    await at.log.append(at.topic, [{ key: 'k', value: null }]);
    await at.append(['a']);
    const consumer = await at.start();
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['a']);
    expect((await at.metrics.consumer_tombstones_total.get()).values[0]?.value).toBe(1);
    expect(await at.deadLetters()).toEqual([]);
  });

  it('moves past a batch in which nothing can be handled', async () => {
    const at = await open();
    await at.append(['garbage 1', 'garbage 2']);
    const handle = vi.fn();
    const consumer = await at.start({ handle });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(handle).not.toHaveBeenCalled();
    expect(await at.deadLetters()).toHaveLength(2);
  });
});
