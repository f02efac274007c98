import { afterEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { type CheckpointState, listCheckpoints, resetCheckpoints, ViewsHoldOffsetsError } from './index.js';

const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(databases.splice(0).map((one) => one.drop()));
});

/** Two partitions that keep offsets 10 to 19; the topic has the id `new`. */
const log = {
  bounds: async () => [0, 1].map((partition) => ({ partition, low: 10n, high: 20n })),
  topicId: async () => 'new',
};

interface Given {
  generation: number;
  partition: number;
  next: number;
  topicId: string | null;
}

async function databaseWith(given: readonly Given[]): Promise<TestDatabase> {
  const database = await freshDatabase({ migrated: true });
  databases.push(database);
  for (const { generation, partition, next, topicId } of given) {
    await database.pool.query(
      `insert into palimpsest.checkpoints (generation, consumer, topic, partition, next_offset, epoch, topic_id)
       values ($1, 'tester', 'topic', $2, $3, 7, $4)`,
      [generation, partition, next, topicId],
    );
  }
  return database;
}

async function checkpoints({ pool }: TestDatabase): Promise<unknown[]> {
  const { rows } = await pool.query<{ at: string }>(
    `select concat_ws(' ', generation, partition, next_offset, epoch, topic_id) as at
     from palimpsest.checkpoints order by generation, partition`,
  );
  return rows.map((row) => row.at);
}

describe('checkpoints', () => {
  it.each<[CheckpointState, Partial<Given>]>([
    ['readable', { next: 10 }],
    ['readable', { next: 20 }],
    ['readable', { next: 12, topicId: null }],
    ['below retention', { next: 9 }],
    ['behind the end', { next: 21 }],
    ['made anew', { next: 12, topicId: 'old' }],
    ['made anew', { next: 12, partition: 5 }],
  ])('are %s at %o', async (state, more) => {
    const { pool } = await databaseWith([{ generation: 1, partition: 0, next: 0, topicId: 'new', ...more }]);
    expect(await listCheckpoints(pool, log)).toMatchObject([{ state, low: expect.any(BigInt) }]);
  });

  it('are set to the first record kept under a new epoch where retention has passed, others are left', async () => {
    const database = await databaseWith([
      { generation: 1, partition: 0, next: 3, topicId: 'new' },
      { generation: 1, partition: 1, next: 15, topicId: 'new' },
      { generation: 2, partition: 0, next: 4, topicId: 'new' },
    ]);
    const meant = { topic: 'topic', generation: 1, forgetViews: false };
    expect(await resetCheckpoints(database.pool, log, meant)).toMatchObject([
      { partition: 0, nextOffset: 3n, state: 'below retention' },
    ]);
    expect(await checkpoints(database)).toEqual(['1 0 10 8 new', '1 1 15 7 new', '2 0 4 7 new']);
  });

  it('are not set beside views that hold offsets of another topic, unless these are forgotten', async () => {
    const database = await databaseWith([
      { generation: 1, partition: 0, next: 12, topicId: 'old' },
      { generation: 1, partition: 1, next: 12, topicId: 'new' },
      { generation: 2, partition: 0, next: 12, topicId: 'new' },
    ]);
    for (const generation of [1, 2]) {
      await database.pool.query('select palimpsest.create_generation_partitions($1)', [generation]);
      await database.pool.query(
        `insert into palimpsest.context_views (generation, tenant, conversation_id, partition, "offset", state)
         values ($1, 'acme', 'c', 0, 5, '{}')`,
        [generation],
      );
    }
    const meant = { topic: 'topic', forgetViews: false };
    const before = await checkpoints(database);
    await expect(resetCheckpoints(database.pool, log, meant)).rejects.toThrow(ViewsHoldOffsetsError);
    expect(await checkpoints(database)).toEqual(before);

    await resetCheckpoints(database.pool, log, { ...meant, forgetViews: true });
    expect(await checkpoints(database)).toEqual(['1 0 10 8 new', '1 1 10 8 new', '2 0 12 7 new']);
    const views = await database.pool.query('select generation from palimpsest.context_views');
    expect(views.rows).toEqual([{ generation: 2 }]);
  });

  it('of the ledger take the blocks with them that can no longer be sent as they were', async () => {
    const database = await databaseWith([
      { generation: 0, partition: 0, next: 5, topicId: 'new' },
      { generation: 0, partition: 1, next: 12, topicId: 'old' },
    ]);
    await database.pool.query(
      `insert into palimpsest.ledger_blocks (topic, partition, from_offset, next_offset)
       values ('topic', 0, 5, 12), ('topic', 0, 12, 14), ('topic', 1, 12, 14), ('other', 0, 5, 12)`,
    );
    await resetCheckpoints(database.pool, log, { topic: 'topic', forgetViews: false });
    expect(await checkpoints(database)).toEqual(['0 0 10 8 new', '0 1 10 8 new']);
    const { rows } = await database.pool.query(
      `select topic || ' ' || partition || ' ' || from_offset as block from palimpsest.ledger_blocks order by 1`,
    );
    expect(rows.map(({ block }) => block as string)).toEqual(['other 0 5', 'topic 0 12']);
  });
});
