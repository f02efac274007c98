import { deadLetterTopic, keyOf, type PalimpsestEvent, TOPICS, topicOf } from '@palimpsest/events';
import type { Ledger, LedgerBlock } from '@palimpsest/ledger';
import type { LogRecord } from '@palimpsest/log';
import { createEmbeddedLog, type EmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger, createMetrics, type Metrics } from '@palimpsest/observability';
import type { RunningConsumer } from '@palimpsest/runtime';
import type pg from 'pg';
import { expect } from 'vitest';
import { stepEvent } from '../../../packages/ledger/test/step-event.js';
import type { TemporaryLedger } from '../../../packages/ledger/test/temporary-ledger.js';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createMetricsSink, type MetricsSinkOptions } from '../src/index.js';

let tenants = 0;
const logger = createLogger({ name: 'test', level: 'silent' });

/** A log, a Postgres and the ledger, with a tenant of its own: a process holds one ledger, so tests share it. */
export class SinkWorld {
  readonly tenant = `tenant-${tenants++}`;
  readonly metrics: Metrics = createMetrics();

  private constructor(
    readonly store: TemporaryLedger,
    readonly database: TestDatabase,
    readonly log: EmbeddedLog,
  ) {}

  static async open(store: TemporaryLedger): Promise<SinkWorld> {
    const database = await freshDatabase({ migrated: true });
    const log = await createEmbeddedLog({ pool: database.pool, listen: database.url, pollMs: 50 });
    for (const topic of [TOPICS.steps, TOPICS.tasks]) await log.createTopic(topic, 2);
    return new SinkWorld(store, database, log);
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.database.drop();
  }

  async append(events: readonly PalimpsestEvent[]): Promise<void> {
    for (const topic of [TOPICS.steps, TOPICS.tasks]) {
      const records = events
        .filter((event) => topicOf(event.type) === topic)
        .map((event) => ({ key: keyOf(event), value: Buffer.from(JSON.stringify(event)) }));
      if (records.length > 0) await this.log.append(topic, records);
    }
  }

  startSink(changes: Partial<MetricsSinkOptions> = {}): Promise<RunningConsumer> {
    return createMetricsSink({
      log: this.log,
      pool: this.database.pool,
      ledger: this.store.ledger,
      decode: decodeJson,
      metrics: this.metrics,
      logger,
      maxRecords: 7,
      retry: { minMs: 1, maxMs: 4, attempts: 2 },
      ...changes,
    });
  }

  /** Runs a sink until it has handled everything or was ended by a fatal error. */
  async drain(changes: Partial<MetricsSinkOptions> = {}): Promise<'drained' | 'crashed'> {
    const sink = await this.startSink(changes);
    let crashed = false;
    const ended = sink.done.catch(() => void (crashed = true));
    await until(async () => crashed || (await sink.lag()) === 0n);
    await sink.stop();
    await ended;
    return crashed ? 'crashed' : 'drained';
  }

  /** The ledger, with something happening in place of its insert. */
  around(insertBlock: (block: LedgerBlock) => Promise<void>): Ledger {
    return new Proxy(this.store.ledger, {
      get: (target, name) => (name === 'insertBlock' ? insertBlock : Reflect.get(target, name, target)),
    });
  }

  /** `count` steps of five tasks with 1, 2, 3 … input tokens and one output token each. */
  steps(count: number): PalimpsestEvent[] {
    return Array.from({ length: count }, (_, i) =>
      stepEvent({ tenant: this.tenant, task_id: `task-${i % 5}`, usage: { input: i + 1, output: 1 } }),
    );
  }

  /** Expects the ledger to hold `steps(count)`, each once. */
  async expectTotals(count: number): Promise<void> {
    const sql = 'select count() as n, sum(input_uncached) as input, sum(cost) * 10000000 as cost from steps';
    const [row] = await this.store.rows(sql, { tenant: this.tenant });
    const input = (count * (count + 1)) / 2;
    // 2.5 dollars per million input tokens and 10 per million output tokens, in tenths of a millionth.
    const cost = input * 25 + count * 100;
    expect({ ...row, cost: Number(row?.['cost']) }).toEqual({ n: count, input, cost });
  }

  /** Rows as inserted, before anything collapses them on reading: stop the ledger's merges first. */
  async inserted(): Promise<number> {
    const [row] = await this.store.rows('select count() as n from step_rows', { tenant: this.tenant });
    return Number(row?.['n']);
  }

  async deadLetters(): Promise<LogRecord[]> {
    const topic = deadLetterTopic(TOPICS.steps);
    const pages = await Promise.all([0, 1].map((partition) => this.log.read(topic, partition, 0n, 100)));
    return pages.flat();
  }

  get pool(): pg.Pool {
    return this.database.pool;
  }
}

export function decodeJson(record: LogRecord): PalimpsestEvent {
  return JSON.parse(String(record.value)) as PalimpsestEvent;
}

/** Waits until something holds; the test's own timeout is the limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
