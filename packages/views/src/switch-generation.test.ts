import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import {
  BehindError,
  createGeneration,
  ensureLiveGeneration,
  GenerationError,
  listGenerations,
  liveGeneration,
  previousGeneration,
  promoteGeneration,
  retireGeneration,
} from './index.js';

const strategy = (name: string) => ({ name, version: `${name}-v`, canonical: '{}' });
const CONSUMERS = { consumers: ['truncator', 'summarizer'] };

let database: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, strategy('one'));
});
afterEach(() => database.drop());

async function reach(generation: number, consumer: string, nextOffset: number, partition = 0): Promise<void> {
  await pool.query(
    `insert into palimpsest.checkpoints (generation, consumer, topic, partition, next_offset, epoch)
     values ($1, $2, 'chat.messages', $3, $4, 1)
     on conflict (generation, consumer, topic, partition) do update set next_offset = excluded.next_offset`,
    [generation, consumer, partition, nextOffset],
  );
}

const statuses = async (): Promise<Record<number, string>> =>
  Object.fromEntries((await listGenerations(pool)).map(({ generation, status }) => [generation, status]));

describe('a promote', () => {
  it('makes the new generation live and lets the old one stand by; a promote of that one switches back', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    for (const of of [1, generation]) for (const name of CONSUMERS.consumers) await reach(of, name, 10);
    expect(await previousGeneration(pool)).toBeNull();
    expect((await promoteGeneration(pool, generation, CONSUMERS))?.generation).toBe(1);
    expect(await statuses()).toEqual({ 1: 'standby', 2: 'live' });
    expect((await previousGeneration(pool))?.generation).toBe(1);
    await promoteGeneration(pool, 1, CONSUMERS);
    expect(await statuses()).toEqual({ 1: 'live', 2: 'standby' });
  });

  it('is refused while any consumer is behind the same of the live generation', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    await reach(1, 'truncator', 10);
    await reach(1, 'truncator', 7, 1);
    await reach(1, 'summarizer', 10);
    await reach(generation, 'truncator', 10);
    await reach(generation, 'summarizer', 9);
    const error = await promoteGeneration(pool, generation, CONSUMERS).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BehindError);
    expect((error as BehindError).places).toEqual([
      { consumer: 'summarizer', topic: 'chat.messages', partition: 0, by: 1n },
      { consumer: 'truncator', topic: 'chat.messages', partition: 1, by: 7n },
    ]);
    expect(await statuses()).toEqual({ 1: 'live', 2: 'building' });
  });

  it('asks of a consumer that only the new strategy has to have seen what the live views have', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    await reach(1, 'truncator', 10);
    await reach(generation, 'truncator', 12);
    await expect(promoteGeneration(pool, generation, CONSUMERS)).rejects.toThrow('10 records behind');
    await reach(generation, 'summarizer', 10);
    await promoteGeneration(pool, generation, CONSUMERS);
    expect((await liveGeneration(pool))?.generation).toBe(generation);
  });

  it('waits for the new one to reach the live one, which is held where it is', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    await reach(1, 'truncator', 10);
    await reach(generation, 'truncator', 9);
    const promoted = promoteGeneration(pool, generation, { consumers: ['truncator'], waitMs: 10_000 });
    await vi.waitFor(async () => {
      const { rows } = await pool.query(
        `select from pg_locks where mode = 'ShareRowExclusiveLock' and granted`,
      );
      expect(rows).toHaveLength(1);
    });
    const onward = reach(1, 'truncator', 11);
    await reach(generation, 'truncator', 10);
    await promoted;
    await onward;
    expect((await liveGeneration(pool))?.generation).toBe(generation);
  });

  it('waits for a transaction that moves a checkpoint', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    await reach(1, 'truncator', 10);
    await reach(generation, 'truncator', 10);
    const tx = await pool.connect();
    await tx.query('begin');
    await tx.query('update palimpsest.checkpoints set next_offset = 11 where generation = 1');
    const promoted = promoteGeneration(pool, generation, { consumers: ['truncator'] });
    await tx.query('commit');
    tx.release();
    await expect(promoted).rejects.toThrow('1 records behind');
  });

  it('is refused of what is retired, partial or not there', async () => {
    const partial = await createGeneration(pool, strategy('two'), '{"tenant":"acme"}');
    const gone = await createGeneration(pool, strategy('three'), null);
    await retireGeneration(pool, gone.generation);
    for (const generation of [partial.generation, gone.generation, 99]) {
      await expect(promoteGeneration(pool, generation, CONSUMERS)).rejects.toThrow(GenerationError);
    }
    expect((await liveGeneration(pool))?.generation).toBe(1);
  });
});

describe('a retired generation', () => {
  it('leaves no partition, no checkpoint and no bytes behind, and its number is not used again', async () => {
    const { generation } = await createGeneration(pool, strategy('two'), null);
    await reach(generation, 'truncator', 10);
    await pool.query(
      `insert into palimpsest.context_views values ($1, 't', 'c', 0, 1, repeat('x', 100000))`,
      [generation],
    );
    await retireGeneration(pool, generation);
    await retireGeneration(pool, generation);
    const { rows } = await pool.query(
      `select relname from pg_class where relname like '%\\_g' || $1::text union all
       select consumer from palimpsest.checkpoints where generation = $1::int`,
      [generation],
    );
    expect(rows).toEqual([]);
    expect((await createGeneration(pool, strategy('four'), null)).generation).toBe(generation + 1);
  });

  it('is never the live one', async () => {
    await expect(retireGeneration(pool, 1)).rejects.toThrow('is live');
    expect(await statuses()).toEqual({ 1: 'live' });
  });
});
