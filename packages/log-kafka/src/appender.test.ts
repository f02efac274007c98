import type { Kafka, Producer, ProducerRecord, RecordMetadata } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { Appender } from './appender.js';

type Answer = (request: ProducerRecord) => RecordMetadata[] | Promise<RecordMetadata[]>;

/** A Kafka whose producers answer, in turn, what the test says, and store everything otherwise. */
function fakeKafka(...answers: Answer[]) {
  const producers: ProducerRecord[][] = [];
  const ends = new Map<number, number>();
  const store: Answer = ({ messages }) => {
    const bases = new Map<number, number>();
    for (const { partition = 0 } of messages) {
      const end = ends.get(partition) ?? 0;
      if (!bases.has(partition)) bases.set(partition, end);
      ends.set(partition, end + 1);
    }
    return [...bases].map(([partition, base]) => ({
      topicName: 't',
      partition,
      errorCode: 0,
      baseOffset: `${base}`,
    }));
  };
  const producer = (): Pick<Producer, 'connect' | 'disconnect' | 'send'> => {
    const requests: ProducerRecord[] = [];
    producers.push(requests);
    return {
      connect: async () => undefined,
      disconnect: async () => undefined,
      send: async (request) => {
        requests.push(request);
        return (answers.shift() ?? store)(request);
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, producers, store };
}

const record = (partition: number, value = 'v') => ({ key: 'k', value: Buffer.from(value), partition });
const sent = (request: ProducerRecord | undefined): unknown[] =>
  (request?.messages ?? []).map(({ value }) => `${value}`);

describe('the appender', () => {
  it('puts calls that come during a request into the next one, in order', async () => {
    const { kafka, producers } = fakeKafka();
    const appender = new Appender(kafka, 't');
    const calls = ['a', 'b', 'c', 'd'].map((value) => appender.append([record(0, value)]));
    const places = await Promise.all(calls);
    expect(places.flat().map(({ offset }) => offset)).toEqual([0n, 1n, 2n, 3n]);
    expect(producers[0]?.map(sent)).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('keeps a request below the size a broker takes', async () => {
    const { kafka, producers } = fakeKafka();
    const places = await new Appender(kafka, 't').append(
      Array.from({ length: 5 }, () => record(0, 'x'.repeat(400_000))),
    );
    expect(places.map(({ offset }) => offset)).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect(producers[0]?.map((request) => sent(request).length)).toEqual([2, 2, 1]);
  });

  it('takes a new producer after an error: the old one would reuse its sequence numbers', async () => {
    const { kafka, producers } = fakeKafka(() => Promise.reject(new Error('timed out')));
    const appender = new Appender(kafka, 't');
    await expect(appender.append([record(0, 'a')])).rejects.toThrow(/t \(Error\).*append them again/);
    await appender.append([record(0, 'b')]);
    expect(producers.map((requests) => requests.map(sent))).toEqual([[['a']], [['b']]]);
  });

  it('fails only the calls of the request that failed', async () => {
    const { kafka } = fakeKafka(() => Promise.reject(new Error('timed out')));
    const appender = new Appender(kafka, 't');
    const [first, second] = await Promise.allSettled([
      appender.append([record(0, 'a')]),
      appender.append([record(0, 'b')]),
    ]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('does not send the rest of a call whose first part failed', async () => {
    const { kafka, producers } = fakeKafka(() => Promise.reject(new Error('timed out')));
    const large = 'x'.repeat(600_000);
    await expect(new Appender(kafka, 't').append([record(0, large), record(0, large)])).rejects.toThrow();
    expect(producers.flat()).toHaveLength(1);
  });

  it('sends again what kafkajs left out when a leader moved', async () => {
    const { kafka, producers, store } = fakeKafka((request) => {
      const messages = request.messages.filter(({ partition }) => partition === 0);
      return store({ ...request, messages });
    });
    const places = await new Appender(kafka, 't').append([record(0, 'a'), record(1, 'b'), record(0, 'c')]);
    expect(places).toEqual([
      { partition: 0, offset: 0n },
      { partition: 1, offset: 0n },
      { partition: 0, offset: 1n },
    ]);
    expect(producers[0]?.map(sent)).toEqual([['a', 'b', 'c'], ['b']]);
  });

  it('can be used again after the connection could not be made', async () => {
    const { kafka } = fakeKafka();
    const connect = [() => Promise.reject(new Error('refused'))];
    const flaky = {
      producer: () => {
        const made = kafka.producer();
        return { ...made, connect: connect.shift() ?? made.connect };
      },
    } as unknown as Kafka;
    const appender = new Appender(flaky, 't');
    await expect(appender.append([record(0)])).rejects.toThrow(/did not acknowledge/);
    await expect(appender.append([record(0)])).resolves.toHaveLength(1);
  });
});
