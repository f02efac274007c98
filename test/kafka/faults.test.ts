import { randomUUID } from 'node:crypto';
import {
  type Batch,
  type EventLog,
  type LogRecord,
  OffsetOutOfRangeError,
  type Subscription,
} from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeWithKafka, startBroker } from './broker.js';

const patience = { timeout: 30_000, interval: 5 };
const record = (text: string, key = 'k') => ({ key, value: Buffer.from(text) });

function closedGate(): { opened: Promise<void>; open(): void } {
  const opening = new AbortController();
  const opened = new Promise<void>((resolve) => opening.signal.addEventListener('abort', () => resolve()));
  return { opened, open: () => opening.abort() };
}

describeWithKafka('what Kafka and kafkajs do to consumers', () => {
  let log: EventLog;
  let kafka: Kafka;
  let admin: Admin;
  const running: Subscription[] = [];

  beforeAll(async () => {
    const brokers = await startBroker();
    log = await createKafkaLog({ brokers, clientId: 'faults', missingTopicMs: 1500 });
    kafka = new Kafka({ brokers, clientId: 'faults-admin', logLevel: logLevel.NOTHING });
    admin = kafka.admin();
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((subscription) => subscription.stop()));
  });
  afterAll(async () => {
    await log?.close();
    await admin?.disconnect();
  });

  const newTopic = async (partitions = 1): Promise<string> => {
    const topic = `faults-${randomUUID()}`;
    await log.createTopic(topic, partitions);
    return topic;
  };

  interface ConsumeOptions {
    maxRecords?: number;
    /** Runs in the handler. */
    work?: (batch: Batch) => unknown;
    /** Holds back the answer where to start. */
    beforeStart?: () => Promise<unknown>;
  }

  async function consume(topic: string, options: ConsumeOptions = {}) {
    const records: LogRecord[] = [];
    const fatal: unknown[] = [];
    const checkpoints = new Map<number, bigint>();
    const subscription = await log.subscribe({
      group: `group-${topic}`,
      topics: [topic],
      maxRecords: options.maxRecords ?? 500,
      startAt: async (_topic, partition) => {
        await options.beforeStart?.();
        return checkpoints.get(partition) ?? null;
      },
      handler: async (batch) => {
        await options.work?.(batch);
        records.push(...batch.records);
        checkpoints.set(batch.partition, (batch.records.at(-1) as LogRecord).offset + 1n);
      },
      onFatal: (error) => fatal.push(error),
    });
    running.push(subscription);
    return { subscription, records, fatal, checkpoints };
  }

  it('stops hard, and skips nothing, when retention passes a consumer that runs', async () => {
    const topic = await newTopic();
    const gate = closedGate();
    const consumed = await consume(topic, { maxRecords: 1, work: () => gate.opened });
    // More than is fetched ahead, so that the reader has to come back for what is gone by then.
    for (let i = 0; i < 8; i++) await log.append(topic, [record(`${i}`.padEnd(800_000, '.'))]);
    await log.truncate(topic, 0, 8n);
    gate.open();
    await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
    expect(consumed.fatal[0]).toBeInstanceOf(OffsetOutOfRangeError);
    const delivered = consumed.records.map(({ offset }) => Number(offset));
    expect(delivered).toEqual(delivered.map((_, i) => i));
    expect(delivered.length).toBeLessThan(8);
    await log.append(topic, [record('after')]);
    await consumed.subscription.stop();
    expect(consumed.records).toHaveLength(delivered.length);
  });

  it.each([
    ['shorter than before', 2],
    ['longer than before: offsets do not show it', 10],
  ])('stops hard when the topic was deleted and made anew, %s', async (_, count) => {
    const topic = await newTopic();
    await log.append(
      topic,
      ['a', 'b', 'c'].map((text) => record(text)),
    );
    let made = Promise.resolve();
    const consumed = await consume(topic, { beforeStart: () => made });
    await vi.waitFor(() => expect(consumed.records).toHaveLength(3), patience);
    // It looks again when the new topic has all its records: the most dangerous moment.
    const gate = closedGate();
    made = gate.opened;
    await admin.deleteTopics({ topics: [topic] });
    await vi.waitFor(() => log.createTopic(topic, 1), patience);
    await vi.waitFor(
      () =>
        log.append(
          topic,
          Array.from({ length: count }, () => record('new')),
        ),
      patience,
    );
    gate.open();
    await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
    expect(String(consumed.fatal[0])).toMatch(/made anew|There is no topic/);
    expect(consumed.records).toHaveLength(3);
  });

  it('stops hard when the topic was made anew behind a slow handler, and grew past what was fetched ahead', async () => {
    const topic = await newTopic();
    const gate = closedGate();
    const consumed = await consume(topic, { maxRecords: 1, work: () => gate.opened });
    for (let i = 0; i < 8; i++) await log.append(topic, [record(`old ${i}`.padEnd(800_000, '.'))]);
    await admin.deleteTopics({ topics: [topic] });
    await vi.waitFor(() => log.createTopic(topic, 1), patience);
    const news = Array.from({ length: 20 }, (_, i) => record(`new ${i}`));
    await vi.waitFor(() => log.append(topic, news), patience);
    gate.open();
    await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
    expect(String(consumed.fatal[0])).toMatch(/made anew.*palimpsest checkpoints reset/);
    const delivered = consumed.records.map(({ value }) => `${value}`.slice(0, 3));
    expect(delivered.filter((text) => text !== 'old')).toEqual([]);
  });

  it('says which topic is gone when one was deleted for good', async () => {
    const topic = await newTopic();
    await log.append(topic, [record('a')]);
    const consumed = await consume(topic);
    await vi.waitFor(() => expect(consumed.records).toHaveLength(1), patience);
    await admin.deleteTopics({ topics: [topic] });
    await vi.waitFor(() => expect(consumed.fatal).toHaveLength(1), patience);
    expect(String(consumed.fatal[0])).toContain(topic);
  });

  it('goes on appending to other topics when one was deleted', async () => {
    const [gone, kept, later] = [await newTopic(), await newTopic(), await newTopic()];
    await log.append(gone, [record('a')]);
    await log.append(kept, [record('a')]);
    await admin.deleteTopics({ topics: [gone] });
    const start = performance.now();
    await log.append(later, [record('a')]);
    await log.append(kept, [record('b')]);
    expect((await log.read(kept, 0, 0n, 10)).map(({ value }) => `${value}`)).toEqual(['a', 'b']);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('goes on with the other partitions while one of them is slow', async () => {
    const topic = await newTopic(2);
    const gate = closedGate();
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const [slow] = await log.append(topic, [record('0', keys[0])]);
    const consumed = await consume(topic, {
      work: ({ partition }) => (partition === slow?.partition ? gate.opened : undefined),
    });
    const others: LogRecord[] = [];
    for (let round = 0; round < 3; round++) {
      const places = await log.append(
        topic,
        keys.map((key) => record(`${round}`, key)),
      );
      const expected = places.filter(({ partition }) => partition !== slow?.partition).length;
      expect(expected).toBeGreaterThan(0);
      await vi.waitFor(() => expect(consumed.records).toHaveLength(expected * (round + 1)), patience);
      others.push(...consumed.records.slice(others.length));
    }
    expect(others.every(({ partition }) => partition !== slow?.partition)).toBe(true);
    gate.open();
    await vi.waitFor(() => expect(consumed.records).toHaveLength(1 + 3 * keys.length), patience);
  });

  it('can be stopped from inside a handler', async () => {
    const topic = await newTopic();
    await log.append(topic, [record('a'), record('b')]);
    let stopped = 0;
    const consumed = await consume(topic, {
      maxRecords: 1,
      work: async () => {
        await consumed.subscription.stop();
        stopped++;
      },
    });
    await vi.waitFor(() => expect(stopped).toBe(1), patience);
    await consumed.subscription.stop();
    expect(consumed.records).toHaveLength(1);
  });

  it('shows lag tools the mirrored checkpoint', async () => {
    const topic = await newTopic(2);
    const consumed = await consume(topic);
    await log.append(topic, [record('a'), record('b')]);
    await vi.waitFor(() => expect(consumed.records).toHaveLength(2), patience);
    const [{ partition }] = consumed.records as [LogRecord];
    await Promise.all([1n, 2n].map((next) => consumed.subscription.commit(topic, partition, next)));
    const [offsets] = await admin.fetchOffsets({ groupId: `group-${topic}`, topics: [topic] });
    expect(offsets?.partitions.find((found) => found.partition === partition)?.offset).toBe('2');
  });

  it('hides records of aborted transactions, whoever wrote them', async () => {
    const topic = await newTopic();
    const producer = kafka.producer({
      transactionalId: topic,
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    for (const [text, commits] of [
      ['kept', true],
      ['aborted', false],
      ['kept too', true],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ key: 'k', value: text, partition: 0 }] });
      await (commits ? transaction.commit() : transaction.abort());
    }
    await producer.disconnect();
    const [end] = await log.append(topic, [record('ours')]);
    const consumed = await consume(topic);
    const expected = ['kept', 'kept too', 'ours'];
    await vi.waitFor(
      () => expect(consumed.records.map(({ value }) => `${value}`)).toEqual(expected),
      patience,
    );
    expect((await log.read(topic, 0, 0n, 10)).map(({ value }) => `${value}`)).toEqual(expected);
    expect(end?.offset).toBe(6n);
  });

  it('costs next to nothing when idle, and sets no timer in the past', async () => {
    const topic = await newTopic(6);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const consumed = await consume(topic);
    await log.append(topic, [record('a')]);
    await vi.waitFor(() => expect(consumed.records).toHaveLength(1), patience);
    const before = process.cpuUsage();
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1000 / (performance.now() - start);
    const early = timers.mock.calls.filter(([, ms]) => ms !== undefined && ms < 0);
    timers.mockRestore();
    expect(early).toEqual([]);
    expect(share).toBeLessThan(0.05);
  });
});
