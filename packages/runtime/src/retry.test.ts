import { Client, Pool, type PoolClient } from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  consumerCase,
  type ConsumerCase,
  numbers,
  writeEffects,
} from '../../../test/harness/consumer-case.js';
import { RetryableError } from './index.js';

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

describe('what can succeed later', () => {
  it('is tried again after a serialization failure', async () => {
    const at = await open();
    await at.append(numbers(5));
    let failures = 2;
    const consumer = await at.start({
      handle: async (tx, events, context) => {
        await writeEffects(tx, events, context);
        if (failures-- > 0) await tx.query(`do $$ begin raise exception 'x' using errcode = '40001'; end $$`);
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.effects()).toEqual(numbers(5));
    const retries = (await at.metrics.consumer_retries_total.get()).values;
    expect(retries).toMatchObject([{ labels: { class: 'serialization' }, value: 2 }]);
  });

  it('is never poison, however often it fails', async () => {
    const at = await open();
    await at.append(['a', 'b']);
    let failures = 20;
    const consumer = await at.start({
      handle: async (tx, events, context) => {
        if (failures-- > 0) throw new RetryableError('not yet');
        await writeEffects(tx, events, context);
      },
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    expect(await at.deadLetters()).toEqual([]);
    expect(await at.effects()).toEqual(['a', 'b']);
  });

  it('goes on by itself when the database has cut every connection', async () => {
    const at = await open(2);
    await at.append(numbers(20), numbers(20));
    let cuts = 3;
    const consumer = await at.start({
      maxRecords: 4,
      handle: async (tx, events, context) => {
        await writeEffects(tx, events, context);
        if (cuts-- > 0) await cutConnections(at);
      },
    });
    await until(async () => expect(await consumer.lag().catch(() => -1n)).toBe(0n));
    expect((await at.effects()).toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(20));
    expect(await at.deadLetters()).toEqual([]);
  });

  it('knows its own commit again when only the answer was lost', async () => {
    const at = await open();
    await at.append(['a']);
    let lost = true;
    const pool = new Pool({ connectionString: at.database.url });
    pool.on('error', () => undefined);
    const consumer = await at.start({
      pool: losingAnswer(pool, () => {
        const now = lost;
        lost = false;
        return now;
      }),
    });
    await until(async () => expect(await consumer.lag()).toBe(0n));
    await consumer.stop();
    expect(lost).toBe(false);
    expect(await at.effects()).toEqual(['a']);
    expect((await at.metrics.stale_owner_writes_total.get()).values).toEqual([]);
    await pool.end();
  });
});

async function cutConnections(at: ConsumerCase): Promise<void> {
  const url = new URL(at.database.url);
  const name = url.pathname.slice(1);
  // From another database, so that two cuts do not cut each other.
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

/** A pool whose commit takes effect but is answered with a broken connection when `lose` says so. */
function losingAnswer(pool: Pool, lose: () => boolean): Pool {
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    const wrapped = async (...given: unknown[]): Promise<unknown> => {
      const result = await query(...given);
      if (given[0] !== 'commit' || !lose()) return result;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    };
    return new Proxy(client, {
      get(target, name) {
        const own = Reflect.get(target, name);
        if (name === 'query') return wrapped;
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
  };
  return new Proxy(pool, {
    get(target, name) {
      const own = Reflect.get(target, name);
      if (name === 'connect') return connect;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
