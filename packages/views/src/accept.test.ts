import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { acceptBatch, type Accepted } from './accept.js';
import { AcceptConflictError } from './accept-conflict.js';
import type { Candidate } from './candidate.js';

let db: TestDatabase;
let log: Candidate[];
let tenants = 0;
let tenant: string;

beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
});
afterAll(() => db.drop());
beforeEach(() => {
  log = [];
  tenants += 1;
  tenant = `tenant-${tenants}`;
});

describe('acceptBatch', () => {
  it('appends new events in order and answers their positions', async () => {
    const answer = await accept([event('a'), event('b')]);
    expect(answer).toEqual([
      { eventId: id('a'), position: '0000-0000000000000000', duplicate: false },
      { eventId: id('b'), position: '0000-0000000000000001', duplicate: false },
    ]);
    expect(log.map((one) => one.eventId)).toEqual([id('a'), id('b')]);
  });

  it('answers a repetition with the position of the first time', async () => {
    const [first] = await accept([event('a')]);
    const [, again] = await accept([event('b'), event('a')]);
    expect(again).toEqual({ ...first, duplicate: true });
    expect(log).toHaveLength(2);
  });

  it('accepts one of two equal events of a batch', async () => {
    const answer = await accept([event('a'), event('a')]);
    expect(answer.map((one) => one.duplicate)).toEqual([false, true]);
    expect(answer[0]?.position).toBe(answer[1]?.position);
    expect(log).toHaveLength(1);
  });

  it('refuses a known id with other content, in one batch or two', async () => {
    await expectConflict([event('a'), event('a', { text: 'other' })], { index: 1, field: 'event_id' });
    await accept([event('a')]);
    await expectConflict([event('b'), event('a', { text: 'other' })], { index: 1, field: 'event_id' });
  });

  it('refuses a place that another event has, in one batch or two', async () => {
    await expectConflict([event('a', { seq: 1n }), event('b', { seq: 1n })], { index: 1, field: 'seq' });
    await accept([event('a', { seq: 1n })]);
    const conflict = await expectConflict([event('c', { seq: 2n }), event('b', { seq: 1n })], {
      index: 1,
      field: 'seq',
    });
    expect(conflict.message).toContain(id('a'));
  });

  it('gives the same place in another conversation or to another tenant', async () => {
    await accept([event('a', { seq: 1n }), event('b', { seq: 1n, conversation: 'other' })]);
    tenant = `${tenant}-second`;
    await accept([event('a', { seq: 1n, text: 'other' })]);
    expect(log).toHaveLength(3);
  });

  it('refuses a mix of events with and without seq', async () => {
    await expectConflict([event('a', { seq: 1n }), event('b')], { index: 1, field: 'seq' });
    await accept([event('a', { seq: 1n })]);
    await expectConflict([event('b')], { index: 0, field: 'seq' });
    await accept([event('c', { conversation: 'logged' })]);
    await expectConflict([event('d', { conversation: 'logged', seq: 2n })], { index: 0, field: 'seq' });
  });

  it('asks no order of steps and tasks', async () => {
    await accept([
      event('a', { seq: 1n }),
      event('s', { topic: 'agent.steps' }),
      event('t', { topic: 'agent.tasks', seq: 1n }),
    ]);
    await accept([event('u', { topic: 'agent.tasks', seq: 1n })]);
    expect(log).toHaveLength(4);
  });

  it('keeps nothing of a batch whose append fails, and takes it the second time', async () => {
    const batch = [event('a', { seq: 1n }), event('b', { seq: 2n })];
    await expect(
      acceptBatch(db.pool, tenant, batch, () => Promise.reject(new Error('log is down'))),
    ).rejects.toThrow('log is down');
    expect(await stored()).toBe(0);
    expect((await accept(batch)).map((one) => one.duplicate)).toEqual([false, false]);
  });

  it('accepts an event once, however many ask at the same time and in whatever order', async () => {
    const batch = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) =>
      event(name, { seq: BigInt(at), conversation: `c${at % 2}` }),
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => accept(at % 2 === 0 ? batch : batch.toReversed())),
    );
    expect(log.map((one) => one.eventId).toSorted()).toEqual(batch.map((one) => one.eventId).toSorted());
    expect(answers.flat().filter((one) => !one.duplicate)).toHaveLength(6);
    const positions = new Set(answers.flat().map((one) => `${one.eventId} ${one.position}`));
    expect(positions.size).toBe(6);
  });

  it('never lets two batches wait for each other, in whatever order they name their events', async () => {
    const sorted = ['a', 'b', 'c'].map((name) => event(name, { topic: 'agent.steps' }));
    sorted.sort((x, y) => (x.eventId < y.eventId ? -1 : 1));
    // Holds the middle one until both batches wait: each then has what it claimed before.
    const holder = await db.pool.connect();
    await holder.query('begin');
    await holder.query(
      `insert into palimpsest.accepted_events values ($1, $2, 'c', null, '', 'agent.steps', 0, 0)`,
      [tenant, sorted[1]?.eventId],
    );
    const both = Promise.all([accept(sorted), accept(sorted.toReversed())]);
    const waiting = async () =>
      db.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    while ((await waiting()).rowCount !== 2) await new Promise((resolve) => setImmediate(resolve));
    await holder.query('rollback');
    holder.release();
    expect((await both).flat().filter((one) => !one.duplicate)).toHaveLength(3);
    expect(log).toHaveLength(3);
  });

  it('refuses one of two that claim a place at the same time', async () => {
    const results = await Promise.allSettled([
      accept([event('a', { seq: 1n }), event('b', { seq: 2n })]),
      accept([event('c', { seq: 2n }), event('d', { seq: 1n })]),
    ]);
    expect(results.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(log).toHaveLength(2);
  });

  it('ends with the same events, each appended once, for any cutting into batches with any repetition', async () => {
    const events = Array.from({ length: 12 }, (_, at) =>
      event(
        `p${at}`,
        at % 3 === 0 ? { topic: 'agent.steps' } : { seq: BigInt(at), conversation: `c${at % 2}` },
      ),
    );
    const batch = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc
        .asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
          const asked = new Set<string>();
          let fresh = 0;
          for (const picks of batches) {
            const chosen = picks.map((at) => events[at] as Candidate);
            for (const one of await accept(chosen)) if (!one.duplicate) fresh += 1;
            for (const one of chosen) asked.add(one.eventId);
          }
          expect(log.map((one) => one.eventId).toSorted()).toEqual([...asked].toSorted());
          expect(fresh).toBe(asked.size);
          expect(await stored()).toBe(asked.size);
        })
        .beforeEach(() => {
          log = [];
          tenants += 1;
          tenant = `tenant-${tenants}`;
        }),
      { numRuns: 25 },
    );
  });
});

function id(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

function event(
  name: string,
  fields: { seq?: bigint; conversation?: string; topic?: string; text?: string } = {},
): Candidate {
  return {
    eventId: id(name),
    conversationId: fields.conversation ?? 'c',
    seq: fields.seq ?? null,
    digest: createHash('sha256')
      .update(fields.text ?? name)
      .digest(),
    topic: fields.topic ?? 'chat.messages',
  };
}

function accept(batch: Candidate[]): Promise<Accepted[]> {
  return acceptBatch(db.pool, tenant, batch, async (_, candidates) =>
    candidates.map((one) => ({ partition: 0, offset: BigInt(log.push(one) - 1) })),
  );
}

async function expectConflict(
  batch: Candidate[],
  expected: { index: number; field: string },
): Promise<AcceptConflictError> {
  const before = [log.length, await stored()];
  const error = await accept(batch).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AcceptConflictError);
  expect((error as AcceptConflictError).conflicts).toMatchObject([expected]);
  expect([log.length, await stored()]).toEqual(before);
  return error as AcceptConflictError;
}

async function stored(): Promise<number> {
  const { rows } = await db.pool.query(
    'select count(*)::int as n from palimpsest.accepted_events where tenant = $1 and "offset" >= 0',
    [tenant],
  );
  return rows[0].n;
}
