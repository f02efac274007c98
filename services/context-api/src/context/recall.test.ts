import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldInBatches } from '../../../../test/harness/fold-in-batches.js';
import { strategyOf } from '../../../../test/harness/fold-in-memory.js';
import { History } from '../../../../test/harness/histories.js';
import { freshDatabase } from '../../../../test/harness/postgres.js';
import { createLiveStrategies } from '../live-strategies.js';
import { createContextReader } from './context-reader.js';

const strategy = strategyOf(
  'name: r\nwindow: { pinned_first: 1, inline_tokens: 1000 }\nslots: { recalled: 500, tools: 400, state: 200 }\nbudget: { kill_above: 30000 }\n',
);
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

/** Facts at the start, then talk of other things. */
function talk(conversation: string, tenant = 'acme'): History {
  const history = new History(conversation, tenant);
  history.message('user', 'Hello there.');
  history.message('user', 'The courier left the parcel at 12 Zelena street, box KV-4471.');
  history.message('user', 'Замовлення №55 привезіть у п’ятницю.');
  history.call('c1', 'find_lease', '{}');
  history.result(
    'c1',
    `${'register line of the lease\n'.repeat(700)}The deposit is 4,500 UAH.\n${'more lines\n'.repeat(700)}`,
  );
  for (let turn = 0; turn < 120; turn += 1) {
    history.message(
      turn % 2 === 0 ? 'user' : 'assistant',
      `we talk of the weather, turn ${turn}, ${'rain '.repeat(15)}`,
    );
  }
  return history;
}

beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, { ...strategy, name: 'r' });
  for (const one of [talk('c'), talk('c', 'other')]) await foldInBatches(pool, strategy, one.events);
});
afterAll(() => database.drop());

interface Body {
  messages: { role: string; content: string }[];
  tools: Record<string, unknown>[];
  tokens: { total: number; by_slot: Record<string, number> };
}
async function ask(
  query: string | undefined,
  more: { conversation?: string; budget?: number; format?: 'openai' | 'anthropic' } = {},
) {
  const reader = createContextReader({ pool, strategies: createLiveStrategies(pool), now: () => 0 });
  return reader.read({ tenant: 'acme', conversation: 'c', budget: 2000, format: 'openai', query, ...more });
}
async function recalled(query: string): Promise<string> {
  const answer = await ask(query);
  const body = 'body' in answer ? (answer.body as Body) : null;
  expect(body?.tokens.total).toBeLessThanOrEqual(2000);
  const note = body?.messages.find(({ content }) => content.startsWith('Found earlier'));
  if (note !== undefined) expect(body?.messages.at(-2)).toEqual(note);
  return note?.content ?? '';
}

describe('recall by a query', () => {
  it('brings back what left the context, before the newest message', async () => {
    expect(await recalled('where is the parcel?')).toContain('12 Zelena street, box KV-4471');
  });

  it('finds inflected words in Ukrainian', async () => {
    expect(await recalled('що з моїм замовленням?')).toContain('№55');
  });

  it('finds the passage in the original of what was cut', async () => {
    const note = await recalled('how much is the deposit of the lease');
    expect(note).toContain('4,500 UAH');
  });

  it('brings nothing where nothing is alike, nothing without a query, and nothing of patterns', async () => {
    expect(await recalled('quantum chromodynamics')).toBe('');
    expect(await recalled('% _ \\')).toBe('');
    const answer = await ask(undefined);
    expect(JSON.stringify(answer)).not.toContain('Found earlier');
  });

  it('counts in its slot', async () => {
    const answer = await ask('parcel courier');
    const { by_slot } = ('body' in answer ? (answer.body as Body) : null)?.tokens ?? {
      by_slot: {} as Record<string, number>,
    };
    expect(by_slot['recalled']).toBeGreaterThan(20);
    expect(by_slot['recalled']).toBeLessThanOrEqual(500);
  });

  it('never reads what another tenant said in a conversation of the same name', async () => {
    await foldInBatches(pool, strategy, talk('c', 'third').events.slice(0, 1));
    const reader = createContextReader({ pool, strategies: createLiveStrategies(pool), now: () => 0 });
    const asked = { conversation: 'c', budget: 2000, format: 'openai' as const, query: 'parcel' };
    expect(JSON.stringify(await reader.read({ tenant: 'third', ...asked }))).not.toContain('Zelena');
  });
});

describe('tools in the answer', () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } } };

  it('have the form of the format, and what was pruned is in left_out', async () => {
    const history = new History('tools');
    history.tools([
      { name: 'look', summary: 'Looks.', schema, phases: ['one'] },
      { name: 'wait', summary: 'Waits.', schema, phases: ['two'] },
    ]);
    history.phase('t', 'one');
    history.message('user', 'go');
    await foldInBatches(pool, strategy, history.events);
    const openai = await ask(undefined, { conversation: 'tools' });
    expect(openai).toMatchObject({
      body: {
        tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: schema } }],
        left_out: [{ what: 'tools wait', why: 'not of the phase one', handle: null }],
      },
    });
    const anthropic = await ask(undefined, { conversation: 'tools', format: 'anthropic' });
    expect(anthropic).toMatchObject({
      body: { tools: [{ name: 'look', description: 'Looks.', input_schema: schema }] },
    });
  });
});

describe('the kill switch', () => {
  it('answers a dump in place of a context', async () => {
    const history = new History('huge');
    history.message('user', 'hi');
    const pinned = Array.from({ length: 6 }, (_, n) =>
      history.message('user', `${n} ${'word '.repeat(7000)}`),
    );
    for (const id of pinned) history.pin(id);
    await foldInBatches(pool, strategy, history.events);
    const answer = await ask(undefined, { conversation: 'huge', budget: 100_000 });
    expect(answer).toMatchObject({
      killed: { limit: 30_000, dump: { slots: { pinned: expect.any(Number) as number } } },
    });
  });
});
