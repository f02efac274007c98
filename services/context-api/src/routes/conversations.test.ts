import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
const id = (n: number) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  server = await startTestApi();
  const events = [1, 2, 3].map((n) => ({
    type: 'message',
    event_id: id(n),
    conversation_id: 'c',
    role: 'user',
    content: `m${n}`,
  }));
  await server.post(events);
  const partition = server.log.records[0]?.partition as number;
  await server.fold(partition, 2n);
  await server.pool.query(
    `insert into palimpsest.context_views (generation, tenant, conversation_id, partition, "offset", state)
     values (1, 'acme', 'c', $1, 1, '{}')`,
    [partition],
  );
  for (const [n, order, entry] of [
    [2, 2, '{"text":"b"}'],
    [1, 1, '{"text":"a"}'],
    [3, 7, '{"text":"c","big":12345678901234567890}'],
  ] as const) {
    await server.pool.query(
      `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
         original_tokens, entry, occurred_at) values (1, 'acme', 'c', $1, $2, $2, 'message', 2, 3, $3, now())`,
      [id(n), order, entry],
    );
  }
  await server.pool.query(
    `insert into palimpsest.summaries values (1, 'acme', 'c', 0, 19, 20, $1, 'summary', '{"A-1"}', 5, 'extractive', 'h')`,
    [id(8)],
  );
  await server.pool.query(
    `insert into palimpsest.facts (generation, tenant, conversation_id, fact_id, fact_type, actor, subject, payload,
       source_id, source_order, derivation_id, tokens)
     values (1, 'acme', 'c', $1, 'promise', 'agent', 'refund', 'by Friday', $2, 1, $3, 4)`,
    [id(20), id(1), id(9)],
  );
  await server.pool.query(
    `insert into palimpsest.conflicts values (1, 'acme', 'c', $1, 5, 'seq 3 is taken')`,
    [id(30)],
  );
});
afterAll(() => server.close());

describe('GET /v1/conversations/:id', () => {
  it('tells counts, position, lag and conflicts', async () => {
    const response = await server.get('/v1/conversations/c');
    expect(response.json()).toEqual({
      conversation_id: 'c',
      strategy: 'sliding-window@v1',
      generation: 1,
      position: expect.stringMatching(/^000[0-3]-0000000000000001$/),
      lag: 1,
      ordered_by: 'log',
      counts: { message: 3 },
      tokens: 6,
      original_tokens: 9,
      summaries: 1,
      facts: 1,
      conflicts: [{ event_id: id(30), reason: 'seq 3 is taken' }],
    });
  });

  it('knows a conversation that is accepted but not yet folded', async () => {
    await server.post([{ type: 'message', conversation_id: 'new', seq: 1, role: 'user', content: 'a' }]);
    const response = await server.get('/v1/conversations/new');
    expect(response.json()).toMatchObject({ position: null, ordered_by: 'seq', counts: {}, tokens: 0 });
    expect((await server.get('/v1/conversations/new/messages')).json()).toEqual({ messages: [], next: null });
  });

  it('lists messages by order, page by page, without gap or repetition', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 4; page += 1) {
      const response = await server.get(`/v1/conversations/c/messages?limit=1${cursor}`);
      const { messages, next } = response.json<{ messages: { event_id: string }[]; next: string | null }>();
      seen.push(...messages.map((one) => one.event_id));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(seen).toEqual([id(1), id(2), id(3)]);
  });

  it('answers numbers of an entry as they were written', async () => {
    const response = await server.get('/v1/conversations/c/messages');
    expect(response.headers['content-type']).toContain('application/json');
    expect(response.body).toContain('"big":12345678901234567890');
  });

  it('lists summaries and facts', async () => {
    const summaries = await server.get('/v1/conversations/c/summaries');
    expect(summaries.json()).toMatchObject({
      summaries: [{ from_order: '0', to_order: '19', text: 'summary', carried: ['A-1'] }],
      next: null,
    });
    const facts = await server.get('/v1/conversations/c/facts');
    expect(facts.json()).toMatchObject({
      facts: [{ fact_id: id(20), subject: 'refund', superseded_by: null }],
    });
  });

  it.each(['limit=0', 'limit=1001', 'cursor=x', `cursor=9223372036854775808.${id(1)}`, 'page=2'])(
    'refuses %s',
    async (query) => {
      expect((await server.get(`/v1/conversations/c/messages?${query}`)).statusCode).toBe(400);
    },
  );

  it('answers 404 for what nobody has sent', async () => {
    for (const list of ['', '/messages', '/summaries', '/facts']) {
      expect((await server.get(`/v1/conversations/nobody${list}`)).statusCode).toBe(404);
    }
  });
});
