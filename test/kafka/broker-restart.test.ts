import type { EventLog, LogRecord } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeWithKafka } from './broker.js';
import { startTemporaryCluster, type TemporaryCluster } from './temporary-cluster.js';

const TOPIC = 'import';
const PARTITIONS = 3;

describeWithKafka('a broker that is killed in the middle of an import and started again', () => {
  let cluster: TemporaryCluster;
  let log: EventLog;

  beforeAll(async () => {
    cluster = await startTemporaryCluster();
    log = await createKafkaLog({ brokers: cluster.bootstrap, clientId: 'restart' });
    await log.createTopic(TOPIC, PARTITIONS);
  });
  afterAll(async () => {
    await log?.close();
    await cluster?.remove();
  });

  it('loses nothing that was acknowledged and doubles nothing for a consumer with checkpoints', async () => {
    const checkpoints = new Map<number, bigint>();
    const seen: LogRecord[] = [];
    const fatal: unknown[] = [];
    await log.subscribe({
      group: 'import',
      topics: [TOPIC],
      maxRecords: 50,
      startAt: async (_topic, partition) => checkpoints.get(partition) ?? null,
      handler: async ({ partition, records, signal }) => {
        await new Promise((resolve) => setImmediate(resolve));
        // As a transaction would: what was given up leaves no trace.
        if (signal.aborted) throw new Error('gave up');
        seen.push(...records);
        checkpoints.set(partition, (records.at(-1) as LogRecord).offset + 1n);
      },
      onFatal: (error) => fatal.push(error),
    });

    const acknowledged: string[] = [];
    let retried = 0;
    const append = async (values: string[]): Promise<void> => {
      const records = values.map((value, i) => ({ key: `key-${i % 20}`, value: Buffer.from(value) }));
      for (;;) {
        try {
          await log.append(TOPIC, records);
          acknowledged.push(...values);
          return;
        } catch {
          retried++;
        }
      }
    };
    const importing = (async () => {
      for (let call = 0; call < 60; call++) {
        await append(Array.from({ length: 50 }, (_, i) => `${call}-${i}`));
      }
    })();
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(500), {
      timeout: 30_000,
      interval: 1,
    });
    await cluster.kill(1);
    const beforeRestart = acknowledged.length;
    expect(beforeRestart).toBeLessThan(3000);
    cluster.restart(1);
    await importing;
    await vi.waitFor(() => expect(new Set(seen.map(({ value }) => `${value}`)).size).toBe(3000), {
      timeout: 60_000,
      interval: 20,
    });
    expect(fatal).toEqual([]);
    // One place is delivered once; one value may lie at two places only if its append failed and was repeated.
    const places = seen.map(({ partition, offset }) => `${partition}/${offset}`);
    expect(new Set(places).size).toBe(places.length);
    expect(seen.length - 3000).toBeLessThanOrEqual(50 * retried);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const offsets = seen
        .filter((record) => record.partition === partition)
        .map(({ offset }) => Number(offset));
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  }, 150_000);
});
