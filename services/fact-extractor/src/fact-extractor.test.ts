import type { RunningDerivation } from '@palimpsest/derivations';
import {
  type DerivationCase,
  derivationCase,
  eventually,
  MESSAGE_TIME,
} from '@palimpsest/derivations/testing';
import type { ExtractedFact, FactsMadeEvent, MessageEvent } from '@palimpsest/events';
import { createExtractiveModel } from '@palimpsest/llm';
import { type Behaviour, FAULTS } from '@palimpsest/llm/loopback-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '@palimpsest/postgres';
import { RetryableError } from '@palimpsest/runtime';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createFactExtractor, type FactExtractorOptions } from './fact-extractor.js';
import { projectFacts } from './project-facts.js';

const SETTINGS = { block: 4, pollMs: 20 };
const offline = createExtractiveModel({ countTokens: (text) => Math.ceil(text.length / 3) });

let db: TestDatabase;
let at: DerivationCase;
beforeEach(async () => {
  db = await freshDatabase({ migrated: true });
  at = await derivationCase(db, { kind: 'answer', text: '{"facts":[]}' });
});
afterEach(async () => {
  await at.close();
  await db.drop();
});

const start = (options: Partial<FactExtractorOptions> = {}): Promise<RunningDerivation> =>
  at.start(() => createFactExtractor({ ...at.dependencies, settings: SETTINGS, ...options }));
interface FactRow {
  fact_type: string;
  subject: string;
  payload: string;
  source_id: string;
  superseded: boolean;
}
async function facts(): Promise<FactRow[]> {
  const { rows } = await db.pool.query<FactRow>(
    `select fact_type, subject, payload, source_id, superseded_by is not null as superseded
     from palimpsest.facts order by source_order, subject`,
  );
  return rows;
}
const allColumns = async (): Promise<unknown[]> =>
  (await db.pool.query('select * from palimpsest.facts order by fact_id')).rows;

/** As the consumer does with events of its own questions. */
const project = (events: FactsMadeEvent[]): Promise<void> =>
  inTransaction(db.pool, (tx) =>
    projectFacts(tx, { generation: 1, partitions: 1, count: (text) => text.length }, events),
  );

let derivations = 0;
function made(message: MessageEvent, given: Partial<ExtractedFact>[], seen = 0n): FactsMadeEvent {
  derivations += 1;
  return {
    ...message,
    type: 'facts_made',
    event_id: `00000000-0000-4000-a000-${String(derivations).padStart(12, '0')}`,
    from_order: 0n,
    to_order: 9n,
    seen_offset: seen,
    provider: 'p',
    model: 'm',
    prompt_hash: 'p',
    input_hash: 'i',
    stop_reason: 'stop',
    usage: null,
    facts: given.map((fact) => ({
      fact_type: 'preference',
      actor: 'client',
      subject: 'sushi',
      payload: 'I love sushi',
      valid_from: null,
      valid_until: null,
      source_id: message.event_id,
      ...fact,
    })),
  };
}

describe('the fact-extractor', () => {
  it('turns what the user stated into facts, and nothing else (cases 12 and 13)', async () => {
    const said = await at.say('c', [
      'I love sushi',
      'I am Nova and I prefer short answers. My order number is 999.',
      'Мой номер заказа AB-12345.',
      'I love spam.',
      'Actually I cannot stand sushi any more',
      'Noted.',
      'ok',
      'Bye.',
    ]);
    await at.project();
    const one = await start({ model: offline });
    await eventually(async () => expect(await facts()).toHaveLength(3));
    await at.settled(one);
    expect(await facts()).toEqual([
      {
        fact_type: 'preference',
        subject: 'sushi',
        payload: 'I love sushi',
        source_id: said[0]?.event_id,
        superseded: true,
      },
      {
        fact_type: 'detail',
        subject: 'номер заказа',
        payload: 'AB-12345',
        source_id: said[2]?.event_id,
        superseded: false,
      },
      {
        fact_type: 'preference',
        subject: 'sushi',
        payload: 'I cannot stand sushi any more',
        source_id: said[4]?.event_id,
        superseded: false,
      },
    ]);
  });

  it('drops facts of a model that took them from the assistant', async () => {
    const fact = {
      fact_type: 'detail',
      actor: 'client',
      subject: 'name',
      payload: 'Nova',
      valid_from: null,
      valid_until: null,
    };
    const answer = JSON.stringify({
      facts: [
        { ...fact, message: 2 },
        { ...fact, payload: 'Anna', message: 1 },
      ],
    });
    at.server.script({ kind: 'answer', text: answer });
    await at.say('c', ['I am Anna.', 'I am Nova.', 'ok', 'ok']);
    await at.project();
    await start();
    await eventually(async () => expect(await facts()).toHaveLength(1));
    expect((await facts())[0]?.payload).toBe('Anna');
    const event = at.appended().find((one) => one.type === 'facts_made') as FactsMadeEvent;
    expect(event.facts.map((one) => one.payload)).toEqual(['Anna']);
  });

  it('drops facts in the log whose source is not a message of a user of that conversation', async () => {
    const [user, assistant] = await at.say('c', ['I love sushi', 'I love spam']);
    const [stranger] = await at.say('other', ['I love tea']);
    await at.project();
    const sources = [assistant, stranger].map((message) => ({ source_id: message?.event_id ?? '' }));
    await project([made(user as MessageEvent, [...sources, {}])]);
    expect((await facts()).map((row) => row.source_id)).toEqual([user?.event_id]);
  });

  it('waits for the truncator before it judges a source', async () => {
    const [user] = await at.say('c', ['I love sushi']);
    const event = made(user as MessageEvent, [{}]);
    await expect(project([event])).rejects.toThrow(RetryableError);
    expect(await facts()).toEqual([]);
    await at.project();
    await project([event]);
    expect(await facts()).toHaveLength(1);
  });

  it('ends in the same rows whatever the order and repetition of derivations', async () => {
    const said = (await at.say('c', [
      'I love sushi',
      'ok',
      'I hate sushi',
      'ok',
      'I like sushi',
    ])) as MessageEvent[];
    await at.project();
    const events = [0, 2, 4].map((n) =>
      made(said[n] as MessageEvent, [
        { payload: said[n]?.content[0]?.text ?? '', valid_from: MESSAGE_TIME + n },
      ]),
    );
    const states: unknown[] = [];
    const [a, b, c] = events as [FactsMadeEvent, FactsMadeEvent, FactsMadeEvent];
    for (const order of [
      [a, b, c],
      [c, b, a, a],
      [b, a, c, b],
      [c, a, b],
    ]) {
      await db.pool.query('delete from palimpsest.facts');
      await project(order);
      states.push(await allColumns());
    }
    expect(states[0]).toHaveLength(3);
    for (const state of states) expect(state).toEqual(states[0]);
  });

  it.each<[string, Behaviour[], string]>([
    ['prose', [FAULTS.empty, { kind: 'answer', text: 'I found nothing of note.' }], 'not_json'],
    ['cut off', [FAULTS.cutOff, FAULTS.cutOff], 'cut_off'],
    ['of wrong types', [FAULTS.wrongTypes, FAULTS.wrongTypes], 'wrong_shape'],
  ])('keeps an answer that is %s for a person to see, after one reminder', async (_name, faults, reason) => {
    at.server.script(...faults);
    await at.say('c', ['I love sushi', 'ok', 'ok', 'ok']);
    await at.project();
    const one = await start();
    await eventually(async () => expect((await at.outcomes())['rejected']).toBe(1));
    await at.settled(one);
    const { rows } = await db.pool.query('select reason, answer from palimpsest.facts_review');
    expect(rows).toEqual([{ reason, answer: expect.stringMatching(/./u) }]);
    expect(await facts()).toEqual([]);
    expect(at.server.requests).toHaveLength(2);
    expect(at.server.requests[1]?.body.messages?.[1]?.content).toContain('could not be used');
  });

  it('asks no model about a block in which no user speaks', async () => {
    await at.say(
      'c',
      Array.from({ length: 4 }, () => ({ role: 'assistant' as const, text: 'I work.' })),
    );
    await at.project();
    const one = await start();
    await eventually(async () => expect((await at.outcomes())['skipped']).toBe(1));
    await at.settled(one);
    expect(at.server.requests).toHaveLength(0);
  });

  it('remembers that a block had no facts: a rebuild asks nothing', async () => {
    await at.say('c', ['Hello.', 'Hi.', 'ok', 'ok']);
    await at.project();
    const one = await start();
    await eventually(async () => expect((await at.outcomes())['made']).toBe(1));
    await at.settled(one);
    await one.stop();
    await db.pool.query('delete from palimpsest.derivation_state');
    await db.pool.query(`delete from palimpsest.checkpoints where consumer like 'fact-extractor%'`);
    const again = await start();
    await eventually(async () => expect((await at.outcomes())['reused']).toBe(1));
    await at.settled(again);
    expect(at.server.requests).toHaveLength(1);
  });
});
