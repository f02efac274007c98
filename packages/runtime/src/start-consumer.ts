import type pg from 'pg';
import { advanceCheckpoint, assertOwner } from './checkpoint.js';
import type { ConsumerOptions, ManualConsumerOptions, RunningConsumer } from './consumer.js';
import { type Apply, ConsumerLoop } from './consumer-loop.js';
import { FatalError } from './errors.js';
import { inTransaction } from '@palimpsest/postgres';

/**
 * Starts a consumer whose effects and checkpoint are one transaction: each batch takes effect once, whatever is
 * killed or delivered again. Resolves when the subscription is set up. Watch `done`: it rejects on a fatal error.
 */
export function startConsumer(options: ConsumerOptions): Promise<RunningConsumer> {
  const apply: Apply = (events, context, key, checkpoint) =>
    inTransaction(options.pool, async (tx) => {
      if (events.length > 0) await options.handle(tx, events, context);
      await advanceCheckpoint(tx, key, checkpoint, context.nextOffset);
    });
  return new ConsumerLoop(options, apply, options.afterCommit?.bind(options)).start();
}

/** Starts a consumer that moves its checkpoint itself, for effects between two transactions. */
export function startManualConsumer(options: ManualConsumerOptions): Promise<RunningConsumer> {
  const apply: Apply = async (events, context, key, checkpoint) => {
    let at = checkpoint.nextOffset;
    const writer = {
      advance: async (tx: pg.ClientBase, nextOffset: bigint): Promise<void> => {
        await advanceCheckpoint(tx, key, { epoch: checkpoint.epoch, nextOffset: at }, nextOffset);
        at = nextOffset;
      },
      assertOwner: (tx: pg.ClientBase): Promise<void> => assertOwner(tx, key, checkpoint),
    };
    if (events.length > 0) await options.handleBatch(events, context, writer);
    else await inTransaction(options.pool, (tx) => writer.advance(tx, context.nextOffset));
    if (at === context.nextOffset) return;
    throw new FatalError(
      `${options.name} handled ${key.topic}[${key.partition}] and left its checkpoint at ${at} instead of ` +
        `${context.nextOffset}: handleBatch must call checkpoint.advance before it resolves.`,
    );
  };
  return new ConsumerLoop(options, apply).start();
}
