import { randomBytes } from 'node:crypto';
import type { Batch, LogRecord } from '@palimpsest/log';
import { Client, Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createEmbeddedLog, type EmbeddedLog } from './index.js';

let database: TestDatabase;
let log: EmbeddedLog;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await freshDatabase();
  log = await createEmbeddedLog({ pool: database.pool, listen: database.url });
  await log.createTopic('t', 1);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await log.close();
  await database.drop();
});

const patience = { timeout: 15_000, interval: 5 };
const value = (text: string): { key: string; value: Buffer } => ({ key: 'k', value: Buffer.from(text) });

interface Collected {
  texts: string[];
  /** How often the log asked where to start: not once while another process owns the partition. */
  asked: () => number;
  stop: () => Promise<void>;
}

async function collect(from: EmbeddedLog, group: string): Promise<Collected> {
  const texts: string[] = [];
  let next: bigint | null = null;
  let asked = 0;
  const subscription = await from.subscribe({
    group,
    topics: ['t'],
    startAt: async () => {
      asked++;
      return next;
    },
    handler: async (batch: Batch) => {
      texts.push(...batch.records.map((record) => record.value?.toString() ?? ''));
      next = (batch.records.at(-1) as LogRecord).offset + 1n;
    },
    onFatal: (error) => {
      throw error;
    },
  });
  return { texts, asked: () => asked, stop: () => subscription.stop() };
}

async function openSecond(): Promise<EmbeddedLog> {
  const pool = new Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
  const second = await createEmbeddedLog({ pool, listen: database.url });
  closing.push(async () => {
    await second.close();
    await pool.end();
  });
  return second;
}

describe('the embedded log', () => {
  it('makes an append wait for one that has not committed, so offsets follow commits', async () => {
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('update palimpsest_log.partitions set next_offset = next_offset + 1');
    let done = false;
    const appending = log.append('t', [value('second')]).then((places) => {
      done = true;
      return places;
    });
    await vi.waitFor(async () => {
      const { rows } = await holder.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
      expect(rows).toHaveLength(1);
    }, patience);
    expect(done).toBe(false);
    await holder.query('rollback');
    expect((await appending)[0]?.offset).toBe(0n);
    await holder.end();
  });

  it('gives back thousands of records byte for byte, in pages of any size', async () => {
    const values = Array.from({ length: 3000 }, (_, i) => randomBytes((i * 37) % 2000));
    for (let i = 0; i < 3000; i += 500) {
      await log.append(
        't',
        values.slice(i, i + 500).map((one) => ({ key: 'k', value: one })),
      );
    }
    // Pages first, comparison after: a page must not change under us while the next one is read.
    const pages: LogRecord[][] = [];
    for (let from = 0n; from < 3000n; from += 700n) pages.push(await log.read('t', 0, from, 700));
    const found = pages.flat();
    expect(found).toHaveLength(3000);
    expect(found.every((record, i) => record.value?.equals(values[i] as Buffer))).toBe(true);
  });

  it('wakes its subscribers again after its listening connection was cut', async () => {
    const consumer = await collect(log, 'g');
    await log.append('t', [value('before')]);
    await vi.waitFor(() => expect(consumer.texts).toEqual(['before']), patience);
    const cut = await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and (query like 'listen%' or query like '%_lock(hash%') and pid <> pg_backend_pid()",
    );
    expect(cut.rowCount).toBe(1);
    await log.append('t', [value('during')]);
    await vi.waitFor(() => expect(consumer.texts).toEqual(['before', 'during']), patience);
    const start = performance.now();
    await log.append('t', [value('after')]);
    await vi.waitFor(() => expect(consumer.texts).toEqual(['before', 'during', 'after']), patience);
    expect(performance.now() - start).toBeLessThan(2000);
    await consumer.stop();
  });

  it('lets one process own a partition and another take it when the first is gone', async () => {
    const second = await openSecond();
    const owner = await collect(log, 'g');
    const standby = await collect(second, 'g');
    expect([owner.asked(), standby.asked()]).toEqual([1, 0]);
    await log.append('t', [value('a')]);
    await vi.waitFor(() => expect(owner.texts).toEqual(['a']), patience);
    await owner.stop();
    await vi.waitFor(() => expect(standby.texts).toEqual(['a']), patience);
    await log.append('t', [value('b')]);
    await vi.waitFor(() => expect(standby.texts).toEqual(['a', 'b']), patience);
    expect(owner.texts).toEqual(['a']);
  });

  it('keeps the mirrored commits of a group for lag tools', async () => {
    const subscription = await log.subscribe({
      group: 'g',
      topics: ['t'],
      startAt: async () => null,
      handler: async () => undefined,
      onFatal: () => undefined,
    });
    await subscription.commit('t', 0, 7n);
    await subscription.commit('t', 0, 9n);
    expect(await log.committed('g', 't')).toEqual([{ partition: 0, nextOffset: 9n }]);
    await subscription.stop();
  });

  it('is created by several processes at once', async () => {
    const fresh = { pool: database.pool, listen: database.url, schema: 'another_log' };
    const logs = await Promise.all([
      createEmbeddedLog(fresh),
      createEmbeddedLog(fresh),
      createEmbeddedLog(fresh),
    ]);
    await logs[0]?.createTopic('t', 2);
    expect(await logs[1]?.partitions('t')).toBe(2);
    await Promise.all(logs.map((one) => one.close()));
  });

  it('refuses a schema that a newer build has written', async () => {
    await database.pool.query('update palimpsest_log.version set version = 99');
    await expect(createEmbeddedLog({ pool: database.pool, listen: database.url })).rejects.toThrow(
      /newer build/,
    );
  });

  it('refuses a name for its schema that would need quoting', async () => {
    const options = { pool: database.pool, listen: database.url, schema: 'x; drop table y' };
    await expect(createEmbeddedLog(options)).rejects.toThrow(/cannot be the log's schema/);
  });
});
