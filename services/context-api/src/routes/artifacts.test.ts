import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
beforeAll(async () => {
  server = await startTestApi({ limits: { linesBytes: 100 } });
  const text = Array.from({ length: 50 }, (_, at) => `line ${at + 1}\n`).join('');
  await server.pool.query(
    `insert into palimpsest.artifacts (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content)
     values (1, 'acme', 'log', 'c', 'text/x-log', $1, $2), (1, 'acme', 'long', 'c', 'text/plain', 400, $3)`,
    [text.length, text, 'ї'.repeat(200)],
  );
});
afterAll(() => server.close());

describe('artifact readers', () => {
  it('answer the whole', async () => {
    const response = await server.get('/v1/artifacts/log');
    expect(response.json()).toMatchObject({
      id: 'log',
      conversation_id: 'c',
      mime: 'text/x-log',
      size_bytes: 391,
    });
    expect(response.json().content).toHaveLength(391);
  });

  it('answer its head', async () => {
    const response = await server.get('/v1/artifacts/log/head?lines=2');
    expect(response.json()).toMatchObject({
      from: 1,
      to: 2,
      total_lines: 50,
      truncated: false,
      content: 'line 1\nline 2',
    });
  });

  it('answer a stretch of lines, counted from 1, both ends included', async () => {
    const response = await server.get('/v1/artifacts/log/lines?from=49&to=2000');
    expect(response.json()).toMatchObject({ from: 49, to: 50, content: 'line 49\nline 50' });
  });

  it('answer no more than their bound, whole letters only', async () => {
    expect((await server.get('/v1/artifacts/log/head?lines=50')).json()).toMatchObject({
      truncated: true,
      to: 14,
    });
    expect((await server.get('/v1/artifacts/long/head')).json().content).toBe('ї'.repeat(50));
  });

  it.each([
    ['lines', '?from'],
    ['lines?from=0&to=2', '?from'],
    ['lines?from=3&to=2', '?to'],
    ['lines?from=1&to=5000', '?to'],
    ['lines?from=1', '?to'],
    ['head?lines=-1', '?lines'],
    ['head?rows=1', '?rows'],
  ])('refuse %s and name %s', async (query, path) => {
    const response = await server.get(`/v1/artifacts/log/${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().errors.map((error: { path: string }) => error.path)).toContain(path);
  });

  it('answer 404 for an id that nothing has', async () => {
    for (const id of ['nothing', '01890000-0000-7000-8000-000000000001', 'log/../log']) {
      expect((await server.get(`/v1/artifacts/${encodeURIComponent(id)}`)).statusCode).toBe(404);
    }
  });
});
