import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
let failing = false;
beforeAll(async () => {
  server = await startTestApi({
    limits: { requestsPerMinute: 20 },
    readiness: {
      postgres: async () => {},
      checkpoints: async () => {
        if (failing) throw new Error('not loaded');
      },
    },
  });
});
afterAll(() => server.close());

const open = (url: string, method: 'GET' | 'HEAD' | 'DELETE' | 'PUT' = 'GET') =>
  server.api.app.inject({ method, url });

describe('operation', () => {
  it('is alive, and ready only while every check holds', async () => {
    expect((await open('/healthz')).json()).toEqual({ status: 'alive' });
    expect((await open('/readyz')).json()).toEqual({ status: 'ready', checks: ['postgres', 'checkpoints'] });
    failing = true;
    const response = await open('/readyz');
    failing = false;
    expect(response.json()).toMatchObject({ status: 503, failed: ['checkpoints'] });
    expect(response.body).not.toContain('not loaded');
  });

  it('tells its metrics', async () => {
    await open('/healthz');
    const response = await open('/metrics');
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.body).toContain('palimpsest_http_requests_total{route="/healthz",status="200"}');
  });

  it('describes every route of /v1 in OpenAPI 3.1, with the schemas that it checks', async () => {
    const document = (await open('/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    const served = server.api.routes.filter(
      (route) => route.method !== 'HEAD' && route.url !== '/openapi.json',
    );
    for (const { method, url } of served) {
      const operation = document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect(operation?.summary, `${method} ${url}`).toBeTypeOf('string');
      expect(operation.security !== undefined).toBe(url.startsWith('/v1'));
      expect(operation.responses.default.content).toHaveProperty('application/problem+json');
    }
    const body = document.paths['/v1/events'].post.requestBody.content['application/json'].schema;
    const types = body.properties.events.items.oneOf ?? body.properties.events.items.anyOf;
    expect(types).toHaveLength(13);
    const step = types.find(
      (type: { properties: { type: { enum: string[] } } }) => type.properties.type.enum[0] === 'step',
    );
    expect(step.required).toEqual(expect.arrayContaining(['conversation_id', 'usage']));
    expect(step.properties.seq.anyOf).toHaveLength(2);
    const context = document.paths['/v1/conversations/{id}/context'].get.parameters;
    expect(context.map((one: { name: string }) => one.name)).toEqual(
      expect.arrayContaining(['id', 'budget', 'format', 'after']),
    );
  });

  it('answers unknown paths with 404, and known ones with 405 and what they allow', async () => {
    const unknown = await open('/v2/events');
    expect([unknown.statusCode, unknown.headers['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
    const known = await open('/v1/conversations/x/context', 'DELETE');
    expect([known.statusCode, known.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await open('/v1/events', 'PUT')).headers['allow']).toBe('POST');
    expect((await open('/v2/events', 'HEAD')).body).toBe('');
    expect((await open('/%ff')).json()).toMatchObject({ status: 400 });
  });

  it('says that erasure and cost are not there', async () => {
    const erasure = await server.send({ method: 'POST', url: '/v1/erasures', payload: {} });
    expect(erasure.json()).toMatchObject({
      status: 501,
      detail: expect.stringContaining('Nothing was erased'),
    });
    for (const url of ['/v1/costs?group_by=agent,strategy,day', '/v1/tasks/t']) {
      expect((await server.get(url)).json()).toMatchObject({
        status: 503,
        detail: expect.stringContaining('ledger'),
      });
    }
    for (const groups of ['model', 'day,day', '']) {
      expect((await server.get(`/v1/costs?group_by=${groups}`)).json().errors[0].path).toMatch(/^\?group_by/);
    }
  });

  it('answers 429 over the rate of one key, and lets another through', async () => {
    const heavy = { authorization: `Bearer ${await server.key('heavy')}` };
    const answers = [];
    for (let at = 0; at < 21; at += 1) answers.push(await server.get('/v1/conversations/x/context', heavy));
    expect(answers.slice(0, 20).every((one) => one.statusCode === 404)).toBe(true);
    expect(answers[20]?.json()).toMatchObject({ status: 429, title: 'Too Many Requests' });
    expect(Number(answers[20]?.headers['retry-after'])).toBeGreaterThan(0);
    const other = { authorization: `Bearer ${await server.key('light')}` };
    expect((await server.get('/v1/conversations/x/context', other)).statusCode).toBe(404);
    expect((await open('/healthz')).statusCode).toBe(200);
  });

  it('listens on loopback, ends waiting requests when it closes, and then listens no more', async () => {
    const mine = await startTestApi({ limits: { waitMs: 600_000 } });
    const url = await mine.api.listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const authorization = `Bearer ${await mine.key('acme')}`;
    const posted = await mine.post([{ type: 'message', conversation_id: 'c', role: 'user', content: 'a' }]);
    const { position } = posted.json().positions[0];
    const waiting = fetch(`${url}/v1/conversations/c/context?after=${position}`, {
      headers: { authorization },
    });
    const polled = async () =>
      (
        await mine.pool.query(`select from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query like '%next_offset%'`)
      ).rowCount;
    while ((await polled()) === 0) await new Promise((resolve) => setImmediate(resolve));
    await mine.close();
    expect(await (await waiting).json()).toMatchObject({
      status: 503,
      detail: expect.stringContaining('stopping'),
    });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    await expect(
      new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
    ).rejects.toThrow();
  });
});
