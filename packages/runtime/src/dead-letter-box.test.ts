import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { consumerCase, type ConsumerCase, writeEffects } from '../../../test/harness/consumer-case.js';
import { appendDeadLetter } from './dead-letter.js';
import { type BoxedLetter, PoisonError, readDeadLetters, replayDeadLetter } from './index.js';

let at: ConsumerCase;
beforeEach(async () => {
  at = await consumerCase(2);
});
afterEach(() => at.close());

const lettersOf = (): Promise<BoxedLetter[]> => readDeadLetters(at.log, [at.topic]);

/** Refuses what says `bad` for as long as it is broken. */
async function brokenConsumer(): Promise<{ mend(): void; drained(): Promise<void> }> {
  let broken = true;
  const consumer = await at.start({
    async handle(tx, events, context) {
      for (const { record } of events) {
        if (broken && record.value?.toString().startsWith('bad')) {
          throw new PoisonError('of a kind this build does not know', { offset: record.offset });
        }
      }
      await writeEffects(tx, events, context);
    },
  });
  return {
    mend: () => void (broken = false),
    drained: () => vi.waitFor(async () => expect(await consumer.lag()).toBe(0n), 10_000),
  };
}

describe('the dead letters of the log', () => {
  it('are listed with their place, and replayed once their cause is mended', async () => {
    const consumer = await brokenConsumer();
    await at.append(['one', 'bad two', 'three', 'bad four']);
    await consumer.drained();
    const letters = await lettersOf();
    expect(letters.map(({ place, replayedAt }) => [place.split('/').at(-1), replayedAt])).toEqual([
      ['1', null],
      ['3', null],
    ]);

    consumer.mend();
    await replayDeadLetter(at.log, letters[0] as BoxedLetter);
    await consumer.drained();
    expect(await at.effects()).toEqual(['one', 'three', 'bad two']);
    expect((await lettersOf()).map(({ replayedAt }) => replayedAt === null)).toEqual([false, true]);
  });

  it('come back at their new place where nothing was mended', async () => {
    const consumer = await brokenConsumer();
    await at.append(['bad']);
    await consumer.drained();
    await replayDeadLetter(at.log, (await lettersOf())[0] as BoxedLetter);
    await consumer.drained();
    expect((await lettersOf()).map(({ replayedAt }) => replayedAt === null)).toEqual([false, true]);
  });

  it('count once that a crash has written twice', async () => {
    const consumer = await brokenConsumer();
    await at.append(['bad']);
    await consumer.drained();
    const [letter] = await lettersOf();
    await appendDeadLetter(at.log, letter as BoxedLetter);
    expect(await lettersOf()).toEqual([letter]);
  });
});
