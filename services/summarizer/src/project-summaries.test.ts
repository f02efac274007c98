import { type DerivationCase, derivationCase } from '@palimpsest/derivations/testing';
import type { RunningDerivation } from '@palimpsest/derivations';
import type { SummaryMadeEvent } from '@palimpsest/events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createSummarizer } from './summarizer.js';

let db: TestDatabase;
let at: DerivationCase;
let summarizer: RunningDerivation;
let conversations = 0;
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  at = await derivationCase(db, { kind: 'answer', text: 'unused' });
  summarizer = await at.start(() => createSummarizer(at.dependencies));
});
beforeEach(() => {
  conversations += 1;
});
afterAll(async () => {
  await at.close();
  await db.drop();
});

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
  await at.append(events);
  await at.settled(summarizer);
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

  it('do not go back to an answer that is delivered again', async () => {
    const first = summary(0, 4, 5, 'first');
    const second = summary(0, 4, 5, 'second');
    expect(await leavesAfter([first, second, first])).toEqual(['second']);
    expect(await leavesAfter([first])).toEqual(['second']);
  });

  it('are not made of nothing', async () => {
    expect(await leavesAfter([summary(0, 4, 5, ' ')])).toEqual([]);
  });
});
