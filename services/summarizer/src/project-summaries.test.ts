import type { SummaryMadeEvent } from '@palimpsest/events';
import { inTransaction } from '@palimpsest/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { projectSummaries } from './project-summaries.js';

let db: TestDatabase;
let conversations = 0;
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  await db.pool.query('select palimpsest.create_generation_partitions(1)');
});
beforeEach(() => {
  conversations += 1;
});
afterAll(() => db.drop());

let made = 0;
function summary(
  from: number,
  to: number,
  seen: number,
  text = `${from}-${to} seen ${seen}`,
): SummaryMadeEvent {
  made += 1;
  return {
    type: 'summary_made',
    event_id: `00000000-0000-4000-b000-${String(made).padStart(12, '0')}`,
    tenant: 't',
    conversation_id: `c${conversations}`,
    seq: null,
    occurred_at: 0,
    client_id: null,
    task_id: null,
    agent: null,
    from_order: BigInt(from),
    to_order: BigInt(to),
    seen_offset: BigInt(seen),
    provider: 'p',
    model: 'm',
    prompt_hash: 'p',
    input_hash: 'i',
    stop_reason: 'stop',
    usage: null,
    text,
    carried: ['ORD-1'],
    language: null,
  };
}
async function leavesAfter(events: SummaryMadeEvent[]): Promise<string[]> {
  await inTransaction(db.pool, (tx) => projectSummaries(tx, 1, events, (text) => text.length));
  const { rows } = await db.pool.query<{ text: string }>(
    'select text from palimpsest.summaries where conversation_id = $1 order by from_order',
    [`c${conversations}`],
  );
  return rows.map((row) => row.text);
}

describe('leaves of a conversation', () => {
  it('stand side by side', async () => {
    expect(await leavesAfter([summary(5, 9, 9), summary(0, 4, 5)])).toEqual(['0-4 seen 5', '5-9 seen 9']);
  });

  it('are replaced by what has seen more, and by nothing that has seen less', async () => {
    expect(await leavesAfter([summary(0, 4, 5), summary(0, 4, 9), summary(0, 4, 7)])).toEqual(['0-4 seen 9']);
  });

  it('never overlap', async () => {
    expect(await leavesAfter([summary(0, 4, 5), summary(5, 9, 9), summary(3, 6, 12)])).toEqual([
      '3-6 seen 12',
    ]);
  });

  it('are not made of nothing', async () => {
    expect(await leavesAfter([summary(0, 4, 5, ' ')])).toEqual([]);
  });
});
