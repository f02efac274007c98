import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { consumerCase, type ConsumerCase, RETRY, writeEffects } from '../../../test/harness/consumer-case.js';
import type { Item } from './decode-batch.js';
import { type DeadLetter, readDeadLetter } from './index.js';
import { PoisonKeys } from './poison-keys.js';

const cases: ConsumerCase[] = [];
afterEach(async () => {
  await Promise.all(cases.splice(0).map((one) => one.close()));
});

interface Run {
  effects: string[];
  letters: DeadLetter[];
  /** Texts of each call of the handler. */
  calls: string[][];
}

/** Runs a consumer over records `key text` that fails for each text with a `!`. */
async function run(records: readonly string[], poisonKey: 'try' | 'dead-letter' = 'try'): Promise<Run> {
  const at = await consumerCase();
  cases.push(at);
  await at.append(
    records,
    records.map((text) => text.split(' ')[0] as string),
  );
  const calls: string[][] = [];
  const consumer = await at.start({
    poisonKey,
    retry: { ...RETRY, keyBudget: 2 },
    handle: async (tx, events, context) => {
      calls.push(events.map(({ record }) => `${record.value}`));
      if (events.some(({ record }) => `${record.value}`.endsWith('!'))) throw new TypeError('cannot fold');
      await writeEffects(tx, events, context);
    },
  });
  await vi.waitFor(async () => expect(await consumer.lag()).toBe(0n), { timeout: 15_000, interval: 5 });
  return { effects: await at.effects(), letters: (await at.deadLetters()).map(readDeadLetter), calls };
}

/** 40 records, in turns of a key that always fails and one that never does. */
const inTurns = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? `bad ${i}!` : `good ${i}`));
const good = inTurns.filter((text) => text.startsWith('good'));

describe('a key whose records fail one after the other', () => {
  it('costs a budget of its own, then one attempt a record; other keys go on', async () => {
    const { effects, letters, calls } = await run(inTurns);
    expect(effects).toEqual(good);
    expect(letters.map(({ attempts }) => attempts)).toEqual([
      RETRY.attempts,
      RETRY.attempts,
      ...letters.slice(2).map(() => 1),
    ]);
    expect(letters).toHaveLength(20);
    // All attempts for two records, halvings on the way to them, then two calls a turn.
    expect(calls.length).toBeLessThan(70);
  });

  it('takes its later events with it, untried, where none may overtake', async () => {
    const { effects, letters, calls } = await run([...inTurns, 'bad but handled'], 'dead-letter');
    expect(effects).toEqual(good);
    expect(letters.map(({ errorClass }) => errorClass)).toEqual([
      'handler',
      'handler',
      ...letters.slice(2).map(() => 'poison-key'),
    ]);
    expect(letters).toHaveLength(21);
    expect(letters.map(({ offset }) => Number(offset))).toEqual([
      ...Array.from({ length: 20 }, (_, i) => 2 * i),
      40,
    ]);
    const alone = calls.filter((texts) => texts.length === 1 && texts[0]?.endsWith('!'));
    expect(new Set(alone.flat()).size).toBe(2);
  });

  it('has its budget again once a record of it was handled', async () => {
    const texts = ['a 0!', 'a 1!', 'a 2!', 'a 3', 'a 4!'];
    const { effects, letters } = await run(texts);
    expect(effects).toEqual(['a 3']);
    expect(letters.map(({ attempts }) => attempts)).toEqual([
      RETRY.attempts,
      RETRY.attempts,
      1,
      RETRY.attempts,
    ]);
  });

  it('has its events alone, and nothing else moved or lost', () => {
    const keys = new PoisonKeys(1);
    keys.blame('p');
    const texts = fc.array(fc.constantFrom('p', 'q', 'r', null), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(texts, (found) => {
        const items = found.map((key) => ({ kind: 'event', record: { key } }) as unknown as Item);
        const parts = keys.apart(items);
        expect(parts.flat()).toEqual(items);
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0);
          if (keys.isIn(part)) expect(part).toHaveLength(1);
        }
      }),
    );
  });
});
