import type { RunningDerivation } from '@palimpsest/derivations';
import { type DerivationCase, derivationCase, eventually } from '@palimpsest/derivations/testing';
import { type Behaviour, FAULTS } from '@palimpsest/llm/loopback-server';
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
async function summaries(): Promise<SummaryRow[]> {
  const { rows } = await db.pool.query<SummaryRow>(
    `select from_order, to_order, text, carried from palimpsest.summaries
     order by from_order`,
  );
  return rows;
}

describe('a summarizer whose model, log or process fails', () => {
  it('does not ask again for what is in the log when the views are rebuilt', async () => {
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    await at.settled(one);
    const before = await summaries();
    await one.stop();
    // A rebuild: everything that was made from the log is gone, the log stays.
    for (const table of ['summaries', 'derivation_state'])
      await db.pool.query(`delete from palimpsest.${table}`);
    await db.pool.query(`delete from palimpsest.checkpoints where consumer like 'summarizer%'`);
    const again = await start();
    await eventually(async () => expect((await at.outcomes())['reused']).toBe(1));
    await at.settled(again);
    expect(await summaries()).toEqual(before);
    expect(at.server.requests).toHaveLength(1);
  });

  it('does not ask again when a job runs a second time, as after a crash between append and end', async () => {
    at.server.script({ kind: 'answer', text: 'Prices of orders.', delayMs: 300 });
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    const payload = await eventually(async () => {
      const { rows } = await db.pool.query('select payload from graphile_worker._private_jobs');
      expect(rows).toHaveLength(1);
      return rows[0].payload as unknown;
    });
    await eventually(async () => expect((await at.outcomes())['made']).toBe(1));
    await db.pool.query(`select graphile_worker.add_job('summarize:1', $1::json)`, [JSON.stringify(payload)]);
    await eventually(async () => expect((await at.outcomes())['reused']).toBe(1));
    await at.settled(one);
    expect(await summaries()).toHaveLength(1);
    expect(at.server.requests).toHaveLength(1);
  });

  it('waits for the projection of what is in the log before it asks', async () => {
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect((await at.outcomes())['made']).toBe(1));
    await at.settled(one);
    await one.stop();
    await db.pool.query('delete from palimpsest.derivation_state');
    await db.pool.query(`delete from palimpsest.checkpoints where consumer like 'summarizer%'`);
    const client = await db.pool.connect();
    await client.query('begin; lock table palimpsest.summaries in access exclusive mode');
    await start();
    await eventually(async () => expect((await at.outcomes())['waiting']).toBeGreaterThan(0));
    await client.query('rollback');
    client.release();
    await eventually(async () => expect((await at.outcomes())['reused']).toBe(1));
    expect(at.server.requests).toHaveLength(1);
  });

  it('repeats at most the call in flight when the append fails for good', async () => {
    await at.say('c', TALK);
    await at.project();
    let failures = 2;
    const append: SummarizerOptions['append'] = async (events) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the log is away');
      await at.dependencies.append(events);
    };
    await start({ append });
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    expect(at.server.requests).toHaveLength(1);
  });

  it('takes over the job of a worker that was killed', async () => {
    await at.say('c', TALK);
    await at.project();
    at.server.script(FAULTS.hang);
    const one = await start();
    await eventually(() => expect(at.server.requests).toHaveLength(1));
    await one.stop();
    // As after kill -9: locked by a worker nobody is.
    await db.pool.query(
      `update graphile_worker._private_jobs set locked_by = 'worker-dead', locked_at = now() - interval '1 minute',
              attempts = 1, run_at = now()`,
    );
    await start();
    await eventually(async () => expect(await summaries()).toHaveLength(1));
    expect(at.server.requests).toHaveLength(2);
  });

  it.each<[string, Behaviour[], number]>([
    ['empty twice', [FAULTS.empty, FAULTS.empty], 2],
    ['cut off twice', [FAULTS.cutOff, FAULTS.cutOff], 2],
    [
      'never ending',
      [
        { kind: 'answer', text: 'order '.repeat(500) },
        { kind: 'answer', text: 'order '.repeat(500) },
      ],
      2,
    ],
  ])(
    'keeps the last good view when the answer is %s, and does not ask forever',
    async (_name, faults, calls) => {
      at.server.script({ kind: 'answer', text: 'Prices of orders.' }, ...faults);
      await at.say('c', TALK);
      await at.project();
      const one = await start();
      await eventually(async () => expect(await summaries()).toHaveLength(1));
      await at.say('c', TALK.slice(0, 4));
      await at.project();
      await eventually(async () => expect((await at.outcomes())['rejected']).toBe(1));
      await at.settled(one);
      expect((await summaries()).map((row) => row.text)).toEqual(['Prices of orders.']);
      expect(at.server.requests).toHaveLength(1 + calls);
      // What was paid is on the bill all the same.
      expect(at.appended().filter((event) => event.type === 'step')).toHaveLength(1 + calls);
    },
  );

  it('keeps the last good view when the model is down, consumes on, and tries later', async () => {
    at.server.script(FAULTS.broken);
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect((await at.outcomes())['retried']).toBe(1));
    expect(await one.lag()).toBe(0n);
    expect(await one.pendingJobs()).toBe(1);
    await db.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await eventually(async () => expect(await summaries()).toHaveLength(1));
  });
});
