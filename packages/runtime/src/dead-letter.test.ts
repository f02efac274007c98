import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  consumerCase,
  type ConsumerCase,
  decodeText,
  numbers,
  RETRY,
  writeEffects,
} from '../../../test/harness/consumer-case.js';
import { PoisonError, readDeadLetter, replayOf } from './index.js';

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

describe('a poison record', () => {
  it('goes to the dead letters with all that is needed to replay it', async () => {
    const at = await open(2);
    const value = Buffer.concat([Buffer.from('garbage'), Buffer.from([0, 255, 128])]);
    await at.log.append(at.topic, [
      { key: 'acme/c1', value, headers: { traceparent: '00-1', 'event-id': 'e1' } },
      { key: 'acme/c1', value: Buffer.from('after') },
    ]);
    const consumer = await at.start();
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['after']);
    const letter = readDeadLetter((await at.deadLetters())[0] as never);
    expect(letter).toMatchObject({
      topic: at.topic,
      offset: 0n,
      key: 'acme/c1',
      headers: { traceparent: '00-1', 'event-id': 'e1' },
      consumer: 'tester',
      errorClass: 'decode',
      attempts: 1,
    });
    expect(letter.error).toContain('unknown schema id');
    expect(letter.value?.equals(value)).toBe(true);
    const [place] = await at.log.append(letter.topic, [replayOf(letter)]);
    const [again] = await at.log.read(at.topic, letter.partition, place?.offset as bigint, 1);
    expect(again).toMatchObject({ key: letter.key, headers: letter.headers, partition: letter.partition });
    expect(again?.value?.equals(value)).toBe(true);
  });

  it('is found by halving when only the handler knows', async () => {
    const at = await open();
    await at.append(numbers(40));
    const consumer = await at.start({
      handle: async (tx, events, context) => {
        await writeEffects(tx, events, context);
        if (events.some(({ record }) => ['13', '31'].includes(record.value?.toString() ?? '')))
          throw new TypeError('x');
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(numbers(40).filter((n) => n !== '13' && n !== '31'));
    const letters = (await at.deadLetters()).map(readDeadLetter);
    expect(letters.map(({ offset, errorClass, attempts }) => [offset, errorClass, attempts])).toEqual([
      [13n, 'handler', RETRY.attempts],
      [31n, 'handler', RETRY.attempts],
    ]);
  });

  it('is found when the database refuses what one record says', async () => {
    const at = await open();
    await at.append(['a', 'nul\0', 'b']);
    const consumer = await at.start();
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['a', 'b']);
    expect((await at.deadLetters()).map((record) => readDeadLetter(record).errorClass)).toEqual(['handler']);
  });

  it('goes at once when the handler names it', async () => {
    const at = await open();
    await at.append(['a', 'bad', 'b']);
    const consumer = await at.start({
      handle: async (tx, events, context) => {
        const bad = events.find(({ record }) => record.value?.toString() === 'bad');
        if (bad !== undefined) {
          throw new PoisonError('negative usage', { offset: bad.record.offset, errorClass: 'usage' });
        }
        await writeEffects(tx, events, context);
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(['a', 'b']);
    const [letter] = (await at.deadLetters()).map(readDeadLetter);
    expect([letter?.errorClass, letter?.attempts]).toEqual(['usage', 1]);
    expect((await at.metrics.dead_letters_total.get()).values[0]).toMatchObject({
      labels: { class: 'usage' },
      value: 1,
    });
  });

  it('is never what the registry being down makes of a record', async () => {
    const at = await open();
    await at.append(['a']);
    let down = 5;
    const consumer = await at.start({
      decode: (record) => {
        if (down-- > 0) throw Object.assign(new Error('registry does not answer'), { retryable: true });
        return decodeText(record);
      },
    });
    await until(() => expect(consumer.ready()).toBe(false));
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.deadLetters()).toEqual([]);
    expect(await at.effects()).toEqual(['a']);
    expect(consumer.ready()).toBe(true);
  });
});
