import { parsePosition } from '@palimpsest/views';
import type { ContextAnswer } from '../context-reader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
beforeAll(async () => {
  server = await startTestApi();
  server.contexts.set('acme/known', { body: { messages: ['m'] }, generation: 1, content: 'one' });
});
afterAll(() => server.close());

const post = async (conversation: string): Promise<string> => {
  const response = await server.post([
    { type: 'message', conversation_id: conversation, role: 'user', content: 'a' },
  ]);
  return response.json().positions[0].position;
};
const partitionOf = (position: string): number => parsePosition(position)?.partition as number;

describe('GET /v1/conversations/:id/context', () => {
  it('asks for 8,000 tokens in the format of OpenAI unless told otherwise', async () => {
    expect((await server.get('/v1/conversations/known/context')).json()).toEqual({ messages: ['m'] });
    await server.get('/v1/conversations/known/context?budget=1000000&query=where&format=openai');
    expect(server.asked.slice(-2)).toEqual([
      { tenant: 'acme', conversation: 'known', budget: 8_000, format: 'openai', query: undefined },
      { tenant: 'acme', conversation: 'known', budget: 1_000_000, format: 'openai', query: 'where' },
    ]);
  });

  it.each([
    ['budget=0', 400, '?budget'],
    ['budget=1000001', 400, '?budget'],
    ['budget=12.5', 400, '?budget'],
    ['budget=', 400, '?budget'],
    ['budget=1&budget=2', 400, '?budget'],
    ['format=html', 400, '?format'],
    ['after=yesterday', 400, '?after'],
    ['bugdet=1', 400, '?bugdet'],
    ['at=0000-0000000000000000', 501, '?at'],
    ['strategy=a@b', 400, '?strategy'],
  ])('answers %s with %d that names %s', async (query, status, path) => {
    const response = await server.get(`/v1/conversations/known/context?${query}`);
    expect(response.statusCode).toBe(status);
    expect(response.json().errors[0].path).toBe(path);
  });

  it('has an ETag of its content and answers 304 to who knows it', async () => {
    const first = await server.get('/v1/conversations/known/context');
    const etag = first.headers['etag'] as string;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await server.get('/v1/conversations/known/context', { 'if-none-match': known });
      expect([response.statusCode, response.body, response.headers['etag']]).toEqual([304, '', etag]);
    }
    server.contexts.set('acme/known', { body: { messages: ['m', 'n'] }, generation: 1, content: 'two' });
    const changed = await server.get('/v1/conversations/known/context', { 'if-none-match': etag });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers['etag']).not.toBe(etag);
  });

  it('answers 404 where there is nothing, and HEAD without a body', async () => {
    expect((await server.get('/v1/conversations/unknown/context')).statusCode).toBe(404);
    const head = await server.send({ method: 'HEAD', url: '/v1/conversations/known/context' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  it('answers 422 with the breakdown where the floor is above the budget', async () => {
    server.contexts.set('acme/heavy', { floor: { pins: 900, rules: 50, total: 950 } });
    const response = await server.get('/v1/conversations/heavy/context?budget=100');
    expect(response.json()).toMatchObject({
      status: 422,
      budget: 100,
      floor: { pins: 900, rules: 50, total: 950 },
    });
  });

  it('waits until the view has folded the position', async () => {
    const position = await post('waited-for');
    server.contexts.set('acme/waited-for', { body: { messages: [] }, generation: 1, content: '' });
    const place = parsePosition(position);
    const [response] = await Promise.all([
      server.get(`/v1/conversations/waited-for/context?after=${position}`),
      server.fold(place?.partition as number, (place?.offset as bigint) + 1n),
    ]);
    expect(response.statusCode).toBe(200);
  });

  it('waits and reads again where another generation went live in between', async () => {
    const position = await post('switched');
    const place = parsePosition(position);
    await server.fold(place?.partition as number, (place?.offset as bigint) + 1n);
    const body = { messages: [] };
    const answers = [2, 1].map((generation) => ({ body, generation, content: String(generation) }));
    server.contexts.set('acme/switched', () => answers.shift() as ContextAnswer);
    const response = await server.get(`/v1/conversations/switched/context?after=${position}`);
    expect([response.statusCode, answers]).toEqual([200, []]);
  });

  it('reads by another strategy whose views are there', async () => {
    server.contexts.set('acme/by-other', { body: { messages: [] }, generation: 2, content: '' });
    const response = await server.get('/v1/conversations/by-other/context?strategy=other@v2');
    expect(response.statusCode).toBe(200);
    expect(server.asked.at(-1)).toMatchObject({ conversation: 'by-other', strategy: 'other@v2' });
  });

  it('answers 409 with the position reached where the view stays behind', async () => {
    const first = await post('behind');
    const second = await post('behind');
    const reached = parsePosition(first)?.offset as bigint;
    await server.fold(partitionOf(first), reached + 1n);
    const asked = server.asked.length;
    const response = await server.get(`/v1/conversations/behind/context?after=${second}`);
    expect(response.json()).toMatchObject({ status: 409, position: first });
    expect(server.asked).toHaveLength(asked);
  });

  it('refuses a position of a step, and of another conversation', async () => {
    const mine = await post('stepped');
    const steps = Array.from({ length: 30 }, (_, at) => ({
      type: 'step',
      conversation_id: 'stepped',
      task_id: `t${at}`,
      step_index: 1,
      provider: 'p',
      model: 'm',
      usage: { input: 1, output: 1 },
    }));
    const answered = (await server.post(steps)).json<{ positions: { position: string }[] }>().positions;
    // One that lies in the partition of the same number, but of another topic.
    const ofStep = answered.find((one) => partitionOf(one.position) === partitionOf(mine))?.position;
    expect(ofStep).toBeDefined();
    await server.fold(partitionOf(mine), 1_000n);
    const foreign = mine.replace(/^.{4}/, ((partitionOf(mine) + 1) % 4).toString(16).padStart(4, '0'));
    for (const after of [ofStep, foreign]) {
      const response = await server.get(`/v1/conversations/stepped/context?after=${after}`);
      expect(response.json()).toMatchObject({
        status: 400,
        errors: [{ path: '?after', remedy: expect.any(String) }],
      });
    }
  });

  it('reads ids with slashes, spaces and letters of any script', async () => {
    for (const id of ['a/b c', 'розмова', `${'ї'.repeat(511)}/`]) {
      server.contexts.set(`acme/${id}`, { body: { messages: [id] }, generation: 1, content: id });
      const response = await server.get(`/v1/conversations/${encodeURIComponent(id)}/context`);
      expect(response.json()).toEqual({ messages: [id] });
    }
  });

  it('answers ids that cannot be with a problem', async () => {
    for (const id of ['a%00b', '%ff', 'x'.repeat(513), '%F0%9F']) {
      const response = await server.get(`/v1/conversations/${id}/context`);
      expect(response.statusCode, id).toBe(400);
      expect(response.headers['content-type']).toContain('problem+json');
    }
  });
});
