import * as fc from 'fast-check';
import type { ToolCallEvent } from '@palimpsest/events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';
import { VALID_EVENTS } from '../testing/valid-events.js';

let server: TestApi;
let runs = 0;
let conversation: string;
beforeAll(async () => {
  server = await startTestApi({
    limits: { requestsPerMinute: 1_000_000, eventBytes: 100_000, bodyBytes: 500_000 },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  server.log.records.length = 0;
  runs += 1;
  conversation = `c-${runs}`;
});

const say = (text: string, more: object = {}) => ({
  type: 'message',
  conversation_id: conversation,
  role: 'user',
  content: text,
  ...more,
});
const id = (n: number) =>
  `01890000-0000-7000-8000-${String(runs).padStart(6, '0')}${String(n).padStart(6, '0')}`;
const raw = (payload: string | Buffer, type = 'application/json') =>
  server.send({ method: 'POST', url: '/v1/events', payload, headers: { 'content-type': type } });
const callWith = (argument: string) =>
  `{"events":[{"type":"tool_call","conversation_id":"c","call_id":"x","tool":"t","arguments":${argument}}]}`;
const decoded = async () =>
  Promise.all(server.log.records.map((record) => server.codec.decode(record.value as Buffer)));

describe('POST /v1/events', () => {
  it('appends in order and answers a position for each event', async () => {
    const response = await server.post([say('a', { event_id: id(1) }), say('b'), say('c')]);
    expect(response.statusCode).toBe(202);
    const body = response.json<{ positions: { event_id: string; position: string }[] }>();
    expect(body).toMatchObject({ accepted: 3, duplicates: 0 });
    expect(body.positions[0]?.event_id).toBe(id(1));
    const positions = body.positions.map((one) => one.position);
    expect(positions).toEqual(positions.toSorted());
    expect((await decoded()).map((event) => event.event_id)).toEqual(
      body.positions.map((one) => one.event_id),
    );
    expect(server.log.records.map((record) => record.headers['event-id'])).toEqual(
      body.positions.map((one) => one.event_id),
    );
  });

  it('takes the tenant from the key, stamps the strategy on a step, and keeps topics apart', async () => {
    const step = {
      ...VALID_EVENTS.find((event) => event['type'] === 'step'),
      event_id: id(1),
      conversation_id: conversation,
    };
    const { strategy: _, generation: __, ...plain } = step as Record<string, unknown>;
    expect((await server.post([say('a'), plain, say('b')])).statusCode).toBe(202);
    expect(server.log.records.map((record) => record.topic)).toEqual([
      'chat.messages',
      'chat.messages',
      'agent.steps',
    ]);
    expect(await decoded()).toMatchObject([
      { tenant: 'acme' },
      { tenant: 'acme' },
      { tenant: 'acme', strategy: 'sliding-window@v1', generation: 1 },
    ]);
  });

  it('answers a repetition as a duplicate at its first position', async () => {
    const first = await server.post([say('a', { event_id: id(1) })]);
    const again = await server.post([
      say('a', { event_id: id(1).toUpperCase() }),
      say('b', { event_id: id(2) }),
    ]);
    expect(again.json()).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(again.json().positions[0]).toEqual(first.json().positions[0]);
    expect(server.log.records).toHaveLength(2);
  });

  it('answers 409 that names the event for other content, a taken place and a mix of orders', async () => {
    await server.post([say('a', { event_id: id(1), seq: 1 })]);
    const cases = [
      [say('other', { event_id: id(1), seq: 1 }), '/events/1/event_id'],
      [say('b', { event_id: id(2), seq: '1' }), '/events/1/seq'],
      [say('b', { event_id: id(2) }), '/events/1/seq'],
    ] as const;
    for (const [event, path] of cases) {
      const response = await server.post([say('fine', { event_id: id(9), seq: 9 }), event]);
      expect(response.statusCode).toBe(409);
      expect(response.json().errors).toMatchObject([{ path, remedy: expect.any(String) }]);
      expect(response.json().detail).toContain(path);
    }
    expect(server.log.records).toHaveLength(1);
  });

  it('keeps numbers as they were written, and seq beyond 2^53', async () => {
    const call = `{"type":"tool_call","conversation_id":"${conversation}","call_id":"x","tool":"t","seq":9007199254740993,"arguments":{"id":12345678901234567890,"price":1.10}}`;
    expect((await raw(`{"events":[${call}]}`)).statusCode).toBe(202);
    const [event] = (await decoded()) as ToolCallEvent[];
    expect(event?.seq).toBe(9007199254740993n);
    expect(event?.arguments).toBe('{"id":12345678901234567890,"price":1.10}');
  });

  it.each([
    ['an empty body', '', 400],
    ['no JSON', '{"events": [', 400],
    ['JSON of another shape', '[]', 400],
    ['no events', '{"events":[]}', 400],
    ['another field', '{"events":[],"tenant":"other"}', 400],
    ['bytes that are not UTF-8', Buffer.from(callWith('"\xff"'), 'latin1'), 400],
    ['nesting that is valid but deep', callWith(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`), 400],
    ['nesting without end', `{"events":${'['.repeat(100_000)}`, 400],
    [
      'nesting with numbers that need care',
      `{"a":1e5,"events":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      400,
    ],
    ['more bytes than allowed', `{"events":"${'a'.repeat(600_000)}"}`, 413],
  ])('refuses %s with %s', async (_, body, status) => {
    const response = await raw(body);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({ status, title: expect.any(String), type: expect.any(String) });
    expect(server.log.records).toHaveLength(0);
  });

  it('says so where a body is nested too deep', async () => {
    const deep = callWith(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`);
    expect((await raw(deep)).json().detail).toContain('nested deeper');
  });

  it('refuses other media types and charsets with 415', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/json; charset=utf-16']) {
      expect((await raw('{}', type)).statusCode).toBe(415);
    }
  });

  it('refuses more than 1,000 events, and one event that is too large', async () => {
    const many = await server.post(Array.from({ length: 1_001 }, () => say('a')));
    expect(many.json()).toMatchObject({ status: 400, errors: [{ path: '/events' }] });
    const large = await server.post([say('a'), say('b'.repeat(100_001))]);
    expect(large.json()).toMatchObject({ status: 413, errors: [{ path: '/events/1' }] });
    expect(server.log.records).toHaveLength(0);
  });

  it('names every wrong field of a batch', async () => {
    const response = await server.post([say('a', { rolle: 'x' }), 7, say('b', { seq: 'x' })]);
    expect(response.json().errors.map((error: { path: string }) => error.path)).toEqual([
      '/events/0/rolle',
      '/events/1',
      '/events/2/seq',
    ]);
  });

  it('answers 503 when the log fails, stores nothing, and takes the same events afterwards', async () => {
    server.log.failure = new Error('broker is gone');
    const batch = [say('a', { event_id: id(1) })];
    const response = await server.post(batch);
    server.log.failure = null;
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect((await server.post(batch)).json()).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it('says no word of a message in its own log', async () => {
    server.log.failure = new Error('broker is gone');
    await server.post([say('very-secret-words')]);
    server.log.failure = null;
    await server.post([say('very-secret-words', { role: 'very-secret-role' })]);
    await raw('{"events":[{"very-secret-words":');
    await server.post([say('very-secret-words')]);
    await server.get(`/v1/conversations/${conversation}/context?query=very-secret-words`);
    expect(server.said.some((line) => line.includes('broker is gone'))).toBe(true);
    expect(server.said.join('\n')).not.toContain('very-secret');
  });

  it('ends with the same events, each in the log once, for any batches with any repetition', async () => {
    const batches = fc.array(fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc
        .asyncProperty(batches, async (list) => {
          for (const batch of list) {
            const response = await server.post(
              batch.map((n) => say(`text ${n}`, { event_id: id(n), seq: n })),
            );
            expect(response.statusCode).toBe(202);
          }
          const ids = (await decoded()).map((event) => event.event_id);
          expect(ids.toSorted()).toEqual([...new Set(list.flat())].map(id).toSorted());
        })
        .beforeEach(() => {
          server.log.records.length = 0;
          runs += 1;
          conversation = `c-${runs}`;
        }),
      { numRuns: 15 },
    );
  });
});
