import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  checkpointOf,
  type ConsumerCase,
  consumerCase,
  decodeText,
  RETRY,
} from '../../../test/harness/consumer-case.js';
import { createLogger } from '@palimpsest/observability';
import { inTransaction } from '@palimpsest/postgres';
import { type ManualConsumerOptions, type RunningConsumer, startManualConsumer } from './index.js';

let at: ConsumerCase;
let consumer: RunningConsumer;
afterEach(async () => {
  await consumer.stop();
  await at.close();
});

const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 5 });

async function start(texts: string[], handleBatch: ManualConsumerOptions['handleBatch']): Promise<void> {
  at = await consumerCase();
  await at.append(texts);
  consumer = await startManualConsumer({
    name: 'sink',
    generation: 1,
    topics: [at.topic],
    log: at.log,
    pool: at.database.pool,
    metrics: at.metrics,
    logger: createLogger({ name: 'sink', level: 'silent' }),
    retry: RETRY,
    decode: decodeText,
    handleBatch,
  });
}

describe('startManualConsumer', () => {
  it('lets a sink act between two transactions and move the checkpoint in the second', async () => {
    const sink: string[] = [];
    await start(['a', 'b'], async (events, context, checkpoint) => {
      await inTransaction(at.database.pool, (tx) => checkpoint.assertOwner(tx));
      sink.push(...events.map(({ record }) => record.value?.toString() ?? ''));
      expect(await checkpointOf(at)).toBe(context.fromOffset);
      await inTransaction(at.database.pool, (tx) => checkpoint.advance(tx, context.nextOffset));
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(sink).toEqual(['a', 'b']);
    expect(await checkpointOf(at)).toBe(2n);
  });

  it('repeats the same batch when it fails between the two', async () => {
    const ranges: string[] = [];
    let failures = 2;
    await start(['a', 'b'], async (_events, context, checkpoint) => {
      ranges.push(`${context.fromOffset}-${context.nextOffset}`);
      if (failures-- > 0) throw new Error('the answer was lost');
      await inTransaction(at.database.pool, (tx) => checkpoint.advance(tx, context.nextOffset));
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(ranges).toEqual(['0-2', '0-2', '0-2']);
  });

  it('keeps a stale owner from the sink and from the checkpoint', async () => {
    const refused: string[] = [];
    let rival = true;
    await start(['a'], async (_events, context, checkpoint) => {
      if (rival) {
        rival = false;
        await at.database.pool.query('update palimpsest.checkpoints set epoch = epoch + 1');
        for (const act of [
          inTransaction(at.database.pool, (tx) => checkpoint.assertOwner(tx)),
          inTransaction(at.database.pool, (tx) => checkpoint.advance(tx, context.nextOffset)),
        ]) {
          await act.catch((error: Error) => refused.push(error.name));
        }
      }
      await inTransaction(at.database.pool, (tx) => checkpoint.advance(tx, context.nextOffset));
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(refused).toEqual(['StaleOwnerError', 'StaleOwnerError']);
  });

  it('moves past dead letters by itself', async () => {
    const handleBatch = vi.fn();
    await start(['garbage'], handleBatch);
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(handleBatch).not.toHaveBeenCalled();
  });

  it('stops when a sink forgets its checkpoint', async () => {
    await start(['a'], async () => undefined);
    await expect(consumer.done).rejects.toThrow(/must call checkpoint.advance/);
  });
});
