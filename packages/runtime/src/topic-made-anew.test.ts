import type { EventLog } from '@palimpsest/log';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkpointOf, consumerCase, type ConsumerCase } from '../../../test/harness/consumer-case.js';

const cases: ConsumerCase[] = [];
afterEach(async () => {
  await Promise.all(cases.splice(0).map((one) => one.close()));
});

/** A case with two records, both handled while the topic had `id`. */
async function handledAs(id: string | null): Promise<ConsumerCase> {
  const at = await consumerCase();
  cases.push(at);
  await at.append(['a', 'b']);
  await handleAll(at, id);
  return at;
}

async function handleAll(at: ConsumerCase, id: string | null): Promise<void> {
  const consumer = await at.start({ log: withTopicId(at.log, id) });
  await vi.waitFor(async () => expect(await consumer.lag()).toBe(0n), { timeout: 15_000, interval: 5 });
  await consumer.stop();
}

function withTopicId(log: EventLog, id: string | null): EventLog {
  return new Proxy(log, {
    get(target, name) {
      if (name === 'topicId') return async () => id;
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

describe('a topic that was deleted and made anew while no consumer ran', () => {
  it('stops the consumer with the way out, and nothing is handled', async () => {
    const at = await handledAs('one');
    await at.append(['of another topic']);
    const consumer = await at.start({ log: withTopicId(at.log, 'two') });
    await expect(consumer.done).rejects.toThrow(/made anew.*offset 2.*palimpsest checkpoints reset/);
    expect(await at.effects()).toEqual(['a', 'b']);
    expect(await checkpointOf(at)).toBe(2n);
  });

  it.each([
    ['is the same topic', 'one', 'one'],
    ['was made by a build that noted no ids', null, 'one'],
    ['meets a log that gives no ids', 'one', null],
  ])('does not concern a checkpoint that %s', async (_, before, after) => {
    const at = await handledAs(before);
    await at.append(['c']);
    await handleAll(at, after);
    expect(await at.effects()).toEqual(['a', 'b', 'c']);
    const { rows } = await at.database.pool.query('select topic_id from palimpsest.checkpoints');
    expect(rows).toEqual([{ topic_id: 'one' }]);
  });
});
