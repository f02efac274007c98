import type { SummaryMadeEvent } from '@palimpsest/events';
import { inTransaction } from '@palimpsest/postgres';
import { type DecodedRecord, RetryableError } from '@palimpsest/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { emptyFoldState } from './fold-state.js';
import { type Projection, project } from './project-derivations.js';
import { saveStates } from './state-rows.js';

let db: TestDatabase;
let projected: string[];
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  await db.pool.query('select palimpsest.create_generation_partitions(1)');
  await inTransaction(db.pool, (tx) =>
    saveStates(tx, 1, 'summarizer', [
      {
        tenant: 't',
        conversation: 'c',
        state: { ...emptyFoldState(), blocks: [{ from: '0', to: '4' }] },
      },
    ]),
  );
});
beforeEach(async () => {
  projected = [];
  await db.pool.query(`delete from palimpsest.derivation_state where consumer = 'summarizer/derived'`);
  await foldedTo(10);
});
afterAll(() => db.drop());

async function foldedTo(offset: number): Promise<void> {
  await db.pool.query(
    `insert into palimpsest.checkpoints values (1, 'summarizer', 'chat.messages', 0, $1, 1)
     on conflict (generation, consumer, topic, partition) do update set next_offset = excluded.next_offset`,
    [offset],
  );
}

const projection = {
  derivation: {
    name: 'summarizer',
    purpose: 'summary',
    project: async (_, events) => void projected.push(...events.map((event) => event.event_id)),
  } as Projection['derivation'],
  generation: 1,
  promptHashes: new Set(['ours', 'also ours']),
  partitions: 1,
};

const event = (over: Partial<SummaryMadeEvent> = {}): DecodedRecord =>
  ({
    event: {
      type: 'summary_made',
      event_id: '00000000-0000-4000-b000-000000000001',
      tenant: 't',
      conversation_id: 'c',
      from_order: 0n,
      to_order: 4n,
      seen_offset: 9n,
      prompt_hash: 'ours',
      ...over,
    },
  }) as unknown as DecodedRecord;
const run = (...records: DecodedRecord[]): Promise<void> =>
  inTransaction(db.pool, (tx) => project(tx, projection, records));

describe('the projection of derivations', () => {
  it('takes an answer to a question of its own, once', async () => {
    await run(event(), event());
    await run(event());
    expect(projected).toEqual(['00000000-0000-4000-b000-000000000001']);
  });

  it.each([
    ['another prompt', { prompt_hash: 'theirs' }],
    ['a range of another strategy', { to_order: 5n }],
    ['a conversation it has not folded', { conversation_id: 'other' }],
  ])('leaves alone what is of %s', async (_, over) => {
    await run(event(over));
    expect(projected).toEqual([]);
  });

  it('waits until the fold has come to where the question came from', async () => {
    await foldedTo(9);
    await expect(run(event())).rejects.toThrow(RetryableError);
    await foldedTo(10);
    await run(event());
    expect(projected).toHaveLength(1);
  });
});
