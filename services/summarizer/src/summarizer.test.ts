import type { RunningDerivation } from '@palimpsest/derivations';
import { type DerivationCase, derivationCase, eventually } from '@palimpsest/derivations/testing';
import { createExtractiveModel, type LanguageModel } from '@palimpsest/llm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createSummarizer, type SummarizerOptions } from './summarizer.js';

const SETTINGS = { block: 4, keepLive: 2, pollMs: 20, maxTokens: 60 };
const TALK = Array.from(
  { length: 6 },
  (_, n) => `Message ${n} speaks at some length of order ORD-100${n} and of its price.`,
);

let db: TestDatabase;
let at: DerivationCase;
beforeEach(async () => {
  db = await freshDatabase({ migrated: true });
  at = await derivationCase(db, { kind: 'answer', text: 'The user asked about orders.' });
});
afterEach(async () => {
  await at.close();
  await db.drop();
});

const start = (options: Partial<SummarizerOptions> = {}): Promise<RunningDerivation> =>
  at.start(() => createSummarizer({ ...at.dependencies, settings: SETTINGS, ...options }));
interface SummaryRow {
  from_order: string;
  to_order: string;
  text: string;
  carried: string[];
}
async function summaries(conversation = 'c'): Promise<SummaryRow[]> {
  const { rows } = await db.pool.query<SummaryRow>(
    `select from_order, to_order, text, carried from palimpsest.summaries
     where conversation_id = $1 order by from_order`,
    [conversation],
  );
  return rows;
}

describe('the summarizer', () => {
  it('goes from a due block to a job, a derivation in the log, a step on the bill, and a leaf', async () => {
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    await at.settled(one);
    expect(await summaries()).toMatchObject([
      {
        from_order: '0',
        to_order: '3',
        text: 'The user asked about orders.',
        carried: ['ORD-1000', 'ORD-1001', 'ORD-1002', 'ORD-1003'],
      },
    ]);
    const [step, made] = at.appended();
    expect(at.appended().map((event) => event.type)).toEqual(['step', 'summary_made']);
    expect(step).toMatchObject({
      purpose: 'summary',
      task_id: 'task-1',
      model: 'm',
      usage: { input: 100 },
      strategy: 'test@1',
    });
    expect(made).toMatchObject({ from_order: 0n, to_order: 3n, seen_offset: 5n, stop_reason: 'stop' });
    expect(at.server.requests).toHaveLength(1);
  });

  it('works offline, for several conversations at once', async () => {
    for (const conversation of ['a', 'b', 'c']) await at.say(conversation, TALK);
    await at.project();
    const one = await start({
      model: createExtractiveModel({ countTokens: (text) => Math.ceil(text.length / 3) }),
    });
    await eventually(async () =>
      expect((await Promise.all(['a', 'b', 'c'].map(summaries))).flat()).toHaveLength(3),
    );
    await at.settled(one);
  });

  it('waits for the truncator, without asking the model or failing', async () => {
    await at.say('c', TALK);
    await start();
    await eventually(async () => expect((await at.outcomes())['waiting']).toBeGreaterThan(1));
    expect(at.server.requests).toHaveLength(0);
    await at.project();
    await eventually(async () => expect(await summaries()).toHaveLength(1));
  });

  it('holds no transaction and no lock while the model works', async () => {
    let free = false;
    const model = at.dependencies.model;
    const watching: LanguageModel = {
      ...model,
      async summarize(request, signal) {
        // Consumers' transactions come and go; one of the job's own would stay as long as this call.
        await eventually(async () => {
          const { rows } = await db.pool.query(
            `select state, query from pg_stat_activity where datname = current_database()
               and pid <> pg_backend_pid() and xact_start is not null and query !~ 'palimpsest_log|checkpoints'`,
          );
          expect(rows).toEqual([]);
        });
        free = true;
        return model.summarize(request, signal);
      },
    };
    await at.say('c', TALK);
    await at.project();
    await start({ model: watching });
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    expect(free).toBe(true);
  });

  it('shows a late message with the next block: the block is asked for again and replaced', async () => {
    const withSeq = async (seqs: bigint[]): Promise<void> => {
      const events = seqs.map((seq) => ({
        ...template(),
        event_id: `00000000-0000-4000-9000-${String(seq).padStart(12, '0')}`,
        seq,
      }));
      await at.append(events);
      await at.project();
    };
    const [first] = await at.say('other', [
      'A message that speaks at some length of the order ORD-9 and of its price.',
    ]);
    const template = () => ({ ...first!, conversation_id: 'c' });
    await withSeq([10n, 20n, 30n, 40n, 50n, 60n]);
    const one = await start();
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    await withSeq([15n, 70n, 80n, 90n, 100n]);
    await eventually(async () => expect(await summaries()).toHaveLength(2));
    await at.settled(one);
    const { rows } = await db.pool.query(
      'select from_order, to_order, seen_offset from palimpsest.summaries order by 1',
    );
    expect(rows).toEqual([
      { from_order: '0', to_order: '40', seen_offset: '11' },
      { from_order: '41', to_order: '80', seen_offset: '11' },
    ]);
    expect(at.server.requests).toHaveLength(3);
  });

  it('ends in the same rows whatever is delivered again', async () => {
    await at.say('c', [...TALK, ...TALK, ...TALK]);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await summaries()).toHaveLength(4));
    await at.settled(one);
    const before = await summaries();
    const derivations = at.appended().filter((event) => event.type === 'summary_made');
    await at.append([...derivations, ...derivations.toReversed()]);
    await at.settled(one);
    expect(await summaries()).toEqual(before);
  });
});
