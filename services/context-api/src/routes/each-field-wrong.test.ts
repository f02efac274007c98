import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';
import { VALID_EVENTS } from '../testing/valid-events.js';

let server: TestApi;
beforeAll(async () => {
  server = await startTestApi({ limits: { requestsPerMinute: 1_000_000 } });
});
afterAll(() => server.close());

type Json = Record<string, unknown> | unknown[];
interface Mutation {
  title: string;
  event: unknown;
  /** The field that the answer must name, under `/events/0`. */
  path: string;
}

/** Fields that take any JSON, so that nothing in or under them is wrong. */
const FREE = new Set([
  'content:tool_result',
  'arguments:tool_call',
  'patch:state_patch',
  'schema:tools_declared',
]);
const MAY_BE_EMPTY = new Set([
  'answer_id',
  'request_id',
  'text',
  'summary',
  'data',
  'url',
  'mime',
  'signature',
]);
const HAVE_NO_LENGTH = new Set(['text', 'summary', 'data', 'signature']);
const REQUIRED = new Set(
  (
    'type conversation_id role content content/0/type content/0/text content/3/text call_id tool message_id patch ' +
    'tools tools/0/name tools/0/summary tools/0/schema phase step_index provider model usage usage/input usage/output'
  )
    .split(' ')
    .map((path) => `/${path}`),
);

describe('POST /v1/events names the field that is wrong and stores nothing', () => {
  it.each(VALID_EVENTS.map((event) => [event['type'], event] as const))('%s', async (type, valid) => {
    const mutations = [...mutationsOf(valid, valid, '', String(type))];
    expect(mutations.length).toBeGreaterThan(15);
    for (const { title, event, path } of mutations) {
      const response = await server.post([event]);
      expect(response.statusCode, `${title}: ${response.body}`).toBe(400);
      expect(response.headers['content-type']).toContain('application/problem+json');
      const paths = response.json<{ errors: { path: string }[] }>().errors.map((error) => error.path);
      expect(paths, title).toContain(`/events/0${path}`);
    }
    expect(server.log.records).toHaveLength(0);
    const { rows } = await server.pool.query(
      `select (select count(*) from palimpsest.accepted_events) + (select count(*) from palimpsest.accepted_conversations) as n`,
    );
    expect(rows[0].n).toBe('0');
  });
});

it('takes every one of these events as it is', async () => {
  for (const [at, event] of VALID_EVENTS.entries()) {
    const id = `01890000-0000-7000-8000-0000000001${String(at).padStart(2, '0')}`;
    const response = await server.post([{ ...event, event_id: id, seq: at }]);
    expect(response.statusCode, response.body).toBe(202);
  }
  expect(server.log.records).toHaveLength(VALID_EVENTS.length);
});

function* mutationsOf(whole: Json, part: Json, above: string, type: string): Generator<Mutation> {
  const change = (path: string, value: unknown, title: string): Mutation => ({
    title: `${type}${path} ${title}`,
    event: withValue(whole, path, value),
    path,
  });
  if (!Array.isArray(part)) yield change(`${above}/unheard_of`, 1, 'is a field nobody knows');
  for (const [name, value] of Object.entries(part)) {
    const path = `${above}/${name}`;
    if (FREE.has(`${name}:${type}`)) {
      if (name === 'arguments') yield change(path, 5, 'is a number');
      if (name === 'patch' || name === 'schema') yield change(path, 'text', 'is a text');
      if (name === 'content') yield change(path, undefined, 'is missing');
      continue;
    }
    if (path === '/type') {
      yield change(path, 'unheard_of', 'is of no type');
      yield change(path, undefined, 'is missing');
      continue;
    }
    yield change(path, null, 'is null');
    if (name !== 'seq' || typeof value !== 'number') yield change(path, wrongType(value), 'has another type');
    else yield change(path, -1, 'is negative');
    if (
      (REQUIRED.has(path) && !(path === '/model' && type === 'conversation_settings')) ||
      (path === '/task_id' && /phase|state_patch|step|task_/.test(type))
    ) {
      yield change(path, undefined, 'is missing');
    }
    if (typeof value === 'string') {
      if (!MAY_BE_EMPTY.has(name) || name === 'type') yield change(path, '', 'is empty');
      if (!HAVE_NO_LENGTH.has(name)) yield change(path, 'x'.repeat(9_000), 'is too long');
    }
    if (typeof value === 'number') {
      yield change(path, -1, 'is negative');
      yield change(path, 1.5, 'is no whole number');
      yield change(path, 1e300, 'is beyond all bounds');
    }
    if (typeof value === 'object' && value !== null) yield* mutationsOf(whole, value as Json, path, type);
  }
}

function wrongType(value: unknown): unknown {
  if (typeof value === 'string') return 5;
  if (Array.isArray(value)) return { not: 'a list' };
  return typeof value === 'object' ? 'text' : 'no such value';
}

/** A copy with one value changed; undefined removes it. */
function withValue(whole: Json, path: string, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string, unknown>;
  const steps = path.split('/').slice(1);
  const last = steps.pop() as string;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
