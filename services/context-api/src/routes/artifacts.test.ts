import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

const ORDERS =
  '{"orders":[{"id":9007199254740993,"total":1.50},{"id":2,"total":2}],"odd, name":"x","list":[1,2,3,4,5]}';
/** A store with one object in it. */
const objects = {
  place: 'memory',
  put: () => Promise.resolve(),
  get: (key: string) => Promise.resolve(key === 'k' ? Buffer.from('kept elsewhere') : null),
  remove: () => Promise.resolve(),
  async *list() {},
};

let server: TestApi;
beforeAll(async () => {
  server = await startTestApi({ limits: { linesBytes: 100 }, objects });
  const text = Array.from({ length: 50 }, (_, at) => `line ${at + 1}\n`).join('');
  await server.pool.query(
    `insert into palimpsest.artifacts (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content)
     values (1, 'acme', 'log', 'c', 'text/x-log', $1, $2), (1, 'acme', 'long', 'c', 'text/plain', 400, $3)`,
    [text.length, text, 'ї'.repeat(200)],
  );
  await server.pool.query(
    `insert into palimpsest.artifacts
       (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content, object_key)
     values (1, 'acme', 'json', 'c', 'application/json', $1, $2, null),
            (1, 'acme', 'large', 'c', 'text/plain', 14, null, 'k'),
            (1, 'acme', 'torn', 'c', 'text/plain', 15, null, 'k'),
            (1, 'acme', 'lost', 'c', 'text/plain', 14, null, 'l')`,
    [ORDERS.length, ORDERS],
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

  it('answer the lines that match, and where to go on', async () => {
    const all = await server.get('/v1/artifacts/log/grep?pattern=line%201(2%7C3)%24');
    expect(all.json()).toMatchObject({
      matches: [
        { line: 12, column: 1, text: 'line 12' },
        { line: 13, column: 1, text: 'line 13' },
      ],
      total_lines: 50,
      truncated: false,
      ended_by: null,
    });
    const some = await server.get('/v1/artifacts/log/grep?pattern=0%24&max=2');
    expect(some.json()).toMatchObject({ truncated: true, ended_by: 'matches', next_from: 21 });
    const rest = await server.get('/v1/artifacts/log/grep?pattern=0%24&from=21');
    expect(rest.json().matches.map(({ line }: { line: number }) => line)).toEqual([30, 40, 50]);
    const many = await server.get('/v1/artifacts/log/grep?pattern=line');
    expect(many.json()).toMatchObject({ truncated: true, ended_by: 'bytes' });
  });

  it('answer the values at paths, numbers as they were written', async () => {
    const response = await server.get(
      `/v1/artifacts/json/fields?paths=${encodeURIComponent(`orders[*].id,orders[0].total,["odd, name"],["],"]`)}`,
    );
    expect(response.headers['content-type']).toContain('application/json');
    expect(response.body).toContain('"value":9007199254740993}');
    expect(response.body).toContain('"value":1.50}');
    expect(response.json()).toMatchObject({
      id: 'json',
      fields: [
        {
          path: 'orders[*].id',
          total: 2,
          values: [{ path: '$.orders[0].id' }, { path: '$.orders[1].id', value: 2 }],
        },
        { path: 'orders[0].total', total: 1 },
        { path: '["odd, name"]', total: 1, values: [{ value: 'x' }] },
        { path: '["],"]', total: 0, values: [] },
      ],
    });
  });

  it('answer values as text for readers that would round them', async () => {
    const response = await server.get('/v1/artifacts/json/fields?paths=orders%5B0%5D.id&as=text');
    expect(response.json().fields[0].values).toEqual([{ path: '$.orders[0].id', text: '9007199254740993' }]);
  });

  it('answer fields within their bounds', async () => {
    const items = await server.get('/v1/artifacts/json/fields?paths=list%5B*%5D&max=2');
    expect(items.json().fields[0]).toMatchObject({ total: 5, values: [{ value: 1 }, { value: 2 }] });
    const whole = await server.get('/v1/artifacts/json/fields?paths=%24');
    expect(whole.json().fields[0].values[0].omitted).toMatch(/^object of 3 members, 10\d characters/);
  });

  it('say that an original is no JSON, and what to ask instead', async () => {
    const response = await server.get('/v1/artifacts/log/fields?paths=a');
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toContain('grep');
  });

  it('answer what lies in the object store, and say when it is damaged or gone', async () => {
    expect((await server.get('/v1/artifacts/large')).json().content).toBe('kept elsewhere');
    for (const id of ['torn', 'lost']) {
      const response = await server.get(`/v1/artifacts/${id}`);
      expect(response.statusCode).toBe(500);
      expect(response.body).not.toContain('kept');
    }
  });

  it.each([
    ['grep', '?pattern'],
    ['grep?pattern=(a', '?pattern'],
    ['grep?pattern=(%3F%3Da)', '?pattern'],
    ['grep?pattern=a%7B1000%7D%7B1000%7D', '?pattern'],
    [`grep?pattern=${'a'.repeat(501)}`, '?pattern'],
    ['grep?pattern=a&max=0', '?max'],
    ['fields', '?paths'],
    ['fields?paths=a%5B', '?paths'],
    [`fields?paths=${'a,'.repeat(21)}`, '?paths'],
    [`fields?paths=${'a'.repeat(301)}`, '?paths'],
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
