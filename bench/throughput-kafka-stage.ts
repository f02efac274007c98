import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf, type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import type { EventLog, NewRecord } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import type { RunningCluster, StartOptions } from '../deploy/kafka-dev/cluster.mjs';
import type { ConnectOptions, RunningConnect } from '../deploy/kafka-dev/connect.mjs';
import { type BenchStore, openBenchStore } from './bench-store.js';

/** A broker, a Postgres with our schema and a log on that broker; gone afterwards. */
export interface KafkaStage {
  cluster: RunningCluster;
  store: BenchStore;
  log: EventLog;
  close(): Promise<void>;
}

export const PARTITIONS = 6;
const APPENDED_AT_ONCE = 1000;

export async function openKafkaStage(): Promise<KafkaStage> {
  const { startCluster } = await kafkaDev<{ startCluster(options: StartOptions): Promise<RunningCluster> }>(
    'cluster.mjs',
  );
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-kafka-'));
  const [cluster, store] = await Promise.all([startCluster({ folder }), openBenchStore()]);
  const log = await createKafkaLog({ brokers: cluster.bootstrap, clientId: 'bench' });
  return {
    cluster,
    store,
    log,
    async close() {
      await log.close();
      await cluster.stop('SIGKILL');
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startConnect(options: ConnectOptions): Promise<RunningConnect> {
  const found = await kafkaDev<{ startConnect(given: ConnectOptions): Promise<RunningConnect> }>(
    'connect.mjs',
  );
  return found.startConnect(options);
}

/** Makes chat.messages and appends the events to it. */
export async function fillTopic(
  { log, store }: KafkaStage,
  events: readonly PalimpsestEvent[],
): Promise<void> {
  await log.createTopic(TOPICS.messages, PARTITIONS);
  const records = events.map((event) => ({ key: keyOf(event), value: store.codec.encode(event) }));
  await appendAll(log, TOPICS.messages, records);
}

export async function appendAll(log: EventLog, topic: string, records: readonly NewRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += APPENDED_AT_ONCE) {
    await log.append(topic, records.slice(start, start + APPENDED_AT_ONCE));
  }
}

/** Scripts lie beside `bench`, which runs from its `dist`. */
async function kafkaDev<T>(file: string): Promise<T> {
  return (await import(new URL(`../../deploy/kafka-dev/${file}`, import.meta.url).href)) as T;
}
