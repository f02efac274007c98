import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  checkpointOf,
  consumerCase,
  type ConsumerCase,
  writeEffects,
} from '../../../test/harness/consumer-case.js';
import { FatalError, RetryableError } from './index.js';

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

describe('the end of a consumer', () => {
  it('comes by a fatal error, which done rejects with', async () => {
    const at = await open();
    await at.append(['a']);
    const consumer = await at.start({ handle: () => Promise.reject(new FatalError('no key')) });
    await expect(consumer.done).rejects.toThrow('no key');
    expect(consumer.ready()).toBe(false);
    expect(await checkpointOf(at)).toBe(0n);
  });

  it('comes when the schema is not what this build needs, and no record is blamed', async () => {
    const at = await open();
    await at.append(['a']);
    const consumer = await at.start({
      handle: async (tx) => void (await tx.query('select * from not_there')),
    });
    await expect(consumer.done).rejects.toThrow('not_there');
    expect(await at.deadLetters()).toEqual([]);
  });

  it('comes when retention has passed the checkpoint', async () => {
    const at = await open();
    await at.append(['a', 'b']);
    const first = await at.start();
    await until(async () => expect(await first.lag()).toBe(0n));
    await first.stop();
    await at.append(['c', 'd']);
    await at.log.truncate(at.topic, 0, 3n);
    const second = await at.start();
    await expect(second.done).rejects.toThrow(/below the first one kept/);
  });

  it('waits for the transaction under way, and gives up what only waits', async () => {
    const at = await open(2);
    await at.append(['a', 'b'], ['k1', 'k3']);
    let entered = 0;
    const consumer = await at.start({
      retry: { minMs: 60_000, maxMs: 60_000, attempts: 3 },
      handle: async (tx, events, context) => {
        entered++;
        if (context.partition === 1) throw new RetryableError('waits for a minute');
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
        await writeEffects(tx, events, context);
      },
    });
    await until(() => expect(entered).toBe(2));
    const start = performance.now();
    await consumer.stop();
    await expect(consumer.done).resolves.toBeUndefined();
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(await at.effects()).toHaveLength(1);
  });

  it('starts no new transaction', async () => {
    const at = await open();
    await at.append(['a', 'b']);
    let entered = 0;
    const consumer = await at.start({
      retry: { minMs: 1, maxMs: 1, attempts: 1 },
      handle: async (_tx, _events, context) => {
        entered++;
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
        throw new Error('given up');
      },
    });
    await until(() => expect(entered).toBe(1));
    // Without its check the loop would try the halves of the batch now.
    await consumer.stop();
    expect(entered).toBe(1);
    expect(await at.deadLetters()).toEqual([]);
  });

  it('leaves what follows a commit to the handler, once per batch', async () => {
    const at = await open();
    await at.append(['a', 'b']);
    const after = vi.fn(async () => {
      await delay(0);
      throw new Error('the worker could not be woken');
    });
    const consumer = await at.start({ afterCommit: after });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    await until(() => expect(after).toHaveBeenCalledTimes(1));
    expect(await at.effects()).toEqual(['a', 'b']);
    await until(async () =>
      expect(await at.log.committed('tester.g1', at.topic)).toEqual([{ partition: 0, nextOffset: 2n }]),
    );
  });
});
