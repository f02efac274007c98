import { listJobs, type RunningDerivation, refusedAnswer, retryJobs } from '@palimpsest/derivations';
import { type DerivationCase, derivationCase, eventually } from '@palimpsest/derivations/testing';
import type { ChatEvent } from '@palimpsest/events';
import { limitCalls } from '@palimpsest/llm';
import { FAULTS } from '@palimpsest/llm/loopback-server';
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
const jobs = async () => (await listJobs(db.pool)).map(({ state, reason }) => [state, reason]);
const count = async (table: string): Promise<number> =>
  (await db.pool.query(`select from palimpsest.${table}`)).rowCount ?? 0;

async function erase(conversation: string): Promise<void> {
  const [said] = await at.say('template', ['x']);
  const event = { ...said, conversation_id: conversation, type: 'erasure_requested', reason: null };
  await at.append([{ ...event, event_id: '00000000-0000-4000-8000-0000000e4a5e' } as unknown as ChatEvent]);
}

describe('jobs', () => {
  it('show what runs, what came of it, and whose words it was', async () => {
    at.server.script({ kind: 'answer', text: 'Prices of orders.', delayMs: 300 });
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await jobs()).toEqual([['running', null]]));
    await at.settled(one);
    const [job] = await listJobs(db.pool);
    expect(job).toMatchObject({
      state: 'made',
      purpose: 'summary',
      conversation: 'c',
      from: 0n,
      to: 3n,
      model: 'm',
    });
    for (const hash of [job?.promptHash, job?.inputHash, job?.answerHash])
      expect(hash).toMatch(/^[0-9a-f]{64}$/u);
  });

  it('that were refused show the answer, and are asked again on demand', async () => {
    at.server.script(FAULTS.injected, FAULTS.injected);
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await jobs()).toEqual([['rejected', 'instructions']]));
    await at.settled(one);
    const [job] = await listJobs(db.pool, { states: ['rejected'] });
    expect(await refusedAnswer(db.pool, job!)).toMatchObject({
      reason: 'instructions',
      answer: FAULTS.injected.text,
    });
    expect(await retryJobs(db.pool, [job!.id])).toEqual([job!.id]);
    await eventually(async () => expect(await jobs()).toEqual([['made', null]]));
    expect(at.server.requests).toHaveLength(3);
  });

  it('of a model that is down wait with the error, and fail for good after the last try', async () => {
    at.server.script(FAULTS.badKey, FAULTS.badKey);
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await eventually(async () => expect(await jobs()).toEqual([['waiting', expect.stringContaining('401')]]));
    await db.pool.query(
      'update graphile_worker._private_jobs set attempts = max_attempts - 1, run_at = now()',
    );
    await eventually(async () => expect(await jobs()).toEqual([['failed', expect.stringContaining('401')]]));
    await at.settled(one);
    const [job] = await listJobs(db.pool, { states: ['failed'] });
    await retryJobs(db.pool, [job!.id]);
    await eventually(async () => expect(await jobs()).toEqual([['made', null]]));
  });

  it('a limit holds back wait without a call and without losing a try', async () => {
    at.server.script(FAULTS.broken);
    await at.say('a', TALK);
    await at.say('b', TALK);
    await at.project();
    const circuit = { failures: 1, cooldownMs: 60_000 };
    await start({
      model: limitCalls(at.dependencies.model, { circuit }),
      settings: { ...SETTINGS, concurrency: 1 },
    });
    await eventually(async () => {
      const found = await listJobs(db.pool);
      expect(found.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
      expect(found.map(({ reason }) => reason).join()).toMatch(/is left alone for/u);
    });
    expect(at.server.requests).toHaveLength(1);
  });

  it('of a tenant that has spent its tokens of the day wait for the next, those of others go on', async () => {
    await at.say('a', TALK);
    await at.project();
    const one = await start({ limits: { tokensPerTenantDay: 100 } });
    await at.settled(one);
    expect(await count('summaries')).toBe(1);
    // 120 tokens are spent now.
    await at.say('b', TALK);
    await at.project();
    await eventually(async () =>
      expect(await jobs()).toContainEqual(['waiting', "the tenant's tokens of the day are spent"]),
    );
    expect(at.server.requests).toHaveLength(1);
    await db.pool.query('update palimpsest.model_spend set tokens = 10');
    await db.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await eventually(async () => expect(await count('summaries')).toBe(2));
  });
});

describe('an erased conversation', () => {
  it('loses its jobs, the call under way, and all that was made of it', async () => {
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await at.settled(one);
    expect(await count('summaries')).toBe(1);
    at.server.script(FAULTS.hang, FAULTS.hang, FAULTS.hang, FAULTS.hang);
    await at.say('c', [...TALK, ...TALK]);
    await at.project();
    await eventually(() => expect(at.server.open).toBeGreaterThan(0));
    await erase('c');
    await eventually(() => expect(at.server.open).toBe(0));
    await at.settled(one);
    expect(await jobs()).toEqual([]);
    for (const table of ['summaries', 'summaries_review', 'derivation_jobs'])
      expect(await count(table)).toBe(0);
    expect(at.appended().filter((event) => event.type === 'summary_made')).toHaveLength(1);
  });

  it('does not come back by an answer that was in the log', async () => {
    await at.say('c', TALK);
    await at.project();
    const one = await start();
    await at.settled(one);
    await erase('c');
    await at.settled(one);
    const made = at.appended().filter((event) => event.type === 'summary_made');
    await at.append(made.map((event) => ({ ...event, event_id: '00000000-0000-4000-8000-00000000beef' })));
    await at.settled(one);
    expect(await count('summaries')).toBe(0);
    expect(await count('derivation_jobs')).toBe(0);
  });
});
