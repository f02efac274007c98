import { revokeKey, type Scope } from '@palimpsest/views';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from './testing/test-api.js';

const EVENT = '01890000-0000-7000-8000-000000000001';
let server: TestApi;
beforeAll(async () => {
  server = await startTestApi({
    ledger: {
      task: async (tenant, taskId) => (tenant === 'acme' && taskId === 'mine' ? { task_id: taskId } : null),
      costs: async (tenant) => [{ tenant }],
      sql: async (tenant) => ({ tenant }),
    },
  });
  await server.post([
    { type: 'message', event_id: EVENT, conversation_id: 'mine', role: 'user', content: 'hello' },
  ]);
  server.contexts.set('acme/mine', { body: { messages: [] }, generation: 1, content: '' });
  await server.pool.query(
    `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
       original_tokens, entry, occurred_at) values (1, 'acme', 'mine', $1, 0, 0, 'message', 1, 1, '{"text":"hello"}', now())`,
    [EVENT],
  );
  await server.pool.query(
    `insert into palimpsest.context_views (generation, tenant, conversation_id, partition, "offset", state)
     values (1, 'acme', 'mine', 0, 0, '{}')`,
  );
  await server.pool.query(
    `insert into palimpsest.artifacts (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content)
     values (1, 'acme', 'mine', 'mine', 'text/plain', 5, 'hello')`,
  );
});
afterAll(() => server.close());

const OPEN = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json']);
const guarded = () => server.api.routes.filter((route) => !OPEN.has(route.url));

describe('walls', () => {
  it('stand before every route but the four open ones', () => {
    expect(server.api.routes.length).toBeGreaterThan(20);
    expect(guarded().every((route) => route.url.startsWith('/v1/'))).toBe(true);
  });

  it('let nobody through without a valid key', async () => {
    const revoked = await server.key('leaver');
    await revokeKey(server.pool, revoked.split('_')[1] as string);
    const wrong = ['', 'Bearer', 'Bearer nonsense', `Basic ${await server.key('acme')}`, `Bearer ${revoked}`];
    for (const { method, url } of guarded()) {
      for (const authorization of wrong) {
        const response = await server.api.app.inject({
          method: method as 'GET',
          url,
          headers: { authorization },
        });
        expect(response.statusCode, `${method} ${url} ${authorization}`).toBe(401);
        expect(response.headers['www-authenticate']).toBe('Bearer');
      }
    }
  });

  it('let no key through that lacks the scope of the route', async () => {
    const scopes: Scope[] = ['ingest', 'read', 'admin'];
    for (const { method, url } of guarded()) {
      const answers: Record<number, number> = {};
      for (const scope of scopes) {
        const authorization = `Bearer ${await server.key('acme', [scope])}`;
        const response = await server.api.app.inject({
          method: method as 'GET',
          url,
          headers: { authorization },
        });
        answers[response.statusCode] = (answers[response.statusCode] ?? 0) + 1;
      }
      expect(answers[403], `${method} ${url}: ${JSON.stringify(answers)}`).toBe(2);
    }
  });

  it('hide every conversation, artifact, message and task from other tenants', async () => {
    const mine = { authorization: `Bearer ${await server.key('acme')}` };
    const other = { authorization: `Bearer ${await server.key('other')}` };
    const query: Record<string, string> = {
      '/v1/artifacts/:id/lines': '?from=1&to=2',
      '/v1/artifacts/:id/grep': '?pattern=h',
      '/v1/artifacts/:id/fields': '?paths=a',
    };
    // What is found and is no JSON.
    const status: Record<string, number> = { '/v1/artifacts/:id/fields': 422 };
    const withId = guarded().filter((route) => route.url.includes(':id') && route.method === 'GET');
    expect(withId.length).toBeGreaterThanOrEqual(9);
    for (const { url } of withId) {
      for (const id of url.startsWith('/v1/artifacts') ? ['mine', EVENT] : ['mine']) {
        const path = url.replace(':id', id) + (query[url] ?? '');
        expect((await server.get(path, mine)).statusCode, path).toBe(status[url] ?? 200);
        const answer = await server.get(path, other);
        expect(answer.statusCode, path).toBe(404);
        expect(answer.body).not.toContain('hello');
      }
    }
    expect((await server.get('/v1/costs', other)).json()).toEqual({ costs: [{ tenant: 'other' }] });
    const asked = await server.send({
      method: 'POST',
      url: '/v1/sql',
      payload: { query: 'q' },
      headers: other,
    });
    expect(asked.json()).toEqual({ tenant: 'other' });
  });

  it('keep a conversation of the same name apart from another tenant', async () => {
    const other = { authorization: `Bearer ${await server.key('other')}` };
    const event = {
      type: 'message',
      event_id: EVENT,
      conversation_id: 'mine',
      role: 'user',
      content: 'other content',
    };
    const response = await server.post([event], other);
    expect(response.json()).toMatchObject({ accepted: 1 });
    expect(server.log.records.map((record) => record.key)).toEqual(['acme/mine', 'other/mine']);
  });
});
