import { randomUUID } from 'node:crypto';
import type { Batch, EventLog, LogRecord, NewRecord, Subscription } from '../event-log.js';

/** What a test file hands to the suite. Made once per suite; every test works on topics of its own. */
export interface LogUnderTest {
  log: EventLog;
  /** Another instance on the same store, as another process or a restart would have. */
  second(): Promise<EventLog>;
  /** Closes everything made above and removes the store. */
  cleanup(): Promise<void>;
}

export interface LogContractOptions {
  /** Upper bound from append to delivery for a subscriber that waits at the end. Default 1,000 ms. */
  wakeUpMs?: number;
  /** Size of the large record, in bytes. Default 5,000,000. */
  largeRecordBytes?: number;
}

export interface ContractRun {
  under: LogUnderTest;
  options: Required<LogContractOptions>;
  /** A topic no other test has, already created. */
  topic(partitions?: number): Promise<string>;
  /** Starts consuming with a checkpoint kept in memory; stopped after the test. */
  consume(topic: string, options?: ConsumeOptions): Promise<Consumed>;
}

export interface ConsumeOptions {
  log?: EventLog;
  group?: string;
  startAt?: (partition: number) => bigint | null;
  maxRecords?: number;
  maxBytes?: number;
  concurrency?: number;
  /** Runs in the handler, before the checkpoint moves. */
  work?: (batch: Batch) => Promise<void> | void;
  /** Shared by subscriptions of one group, as they share one store. */
  checkpoints?: Map<number, bigint>;
}

export interface Consumed {
  subscription: Subscription;
  batches: Batch[];
  records: LogRecord[];
  fatal: unknown[];
  checkpoints: Map<number, bigint>;
}

export function text(...values: string[]): NewRecord[] {
  return values.map((value) => ({ key: 'k', value: Buffer.from(value) }));
}

export function texts(records: readonly LogRecord[]): string[] {
  return records.map((record) => record.value?.toString('utf8') ?? '');
}

export async function consumeFrom(log: EventLog, topic: string, options: ConsumeOptions): Promise<Consumed> {
  const checkpoints = options.checkpoints ?? new Map<number, bigint>();
  const consumed: Omit<Consumed, 'subscription'> = { batches: [], records: [], fatal: [], checkpoints };
  const subscription = await (options.log ?? log).subscribe({
    group: options.group ?? `group-${randomUUID()}`,
    topics: [topic],
    startAt: async (_topic, partition) => checkpoints.get(partition) ?? options.startAt?.(partition) ?? null,
    handler: async (batch) => {
      consumed.batches.push(batch);
      await options.work?.(batch);
      consumed.records.push(...batch.records);
      checkpoints.set(batch.partition, (batch.records.at(-1) as LogRecord).offset + 1n);
    },
    onFatal: (error) => consumed.fatal.push(error),
    ...(options.maxRecords === undefined ? {} : { maxRecords: options.maxRecords }),
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  });
  return { ...consumed, subscription };
}
