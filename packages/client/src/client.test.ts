import { describe, expect, it } from 'vitest';
import { createClient, type ClientOptions } from './client.js';
import type { AgentEvent } from './event.js';
import { PalimpsestError } from './palimpsest-error.js';

interface Seen {
  url: string;
  headers: Record<string, string>;
  events: { event_id: string; content: string; seq?: unknown }[];
}
type Answer = (seen: Seen) => Response | Error;

/** A client over a server that is a list of answers; the last one repeats. */
function clientOver(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const client = createClient({
    url: 'http://127.0.0.1:1',
    key: 'k',
    pause: async (ms) => void pauses.push(ms),
    fetch: async (url, init) => {
      const body = init?.body === undefined ? { events: [] } : (JSON.parse(init.body as string) as Seen);
      const one = { url: String(url), headers: init?.headers as Record<string, string>, events: body.events };
      seen.push(one);
      const answer = (answers[seen.length - 1] ?? (answers.at(-1) as Answer))(one);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  return { client, seen, pauses };
}

const accept: Answer = ({ events }) =>
  Response.json(
    {
      accepted: events.length,
      duplicates: 0,
      positions: events.map((event) => ({ event_id: event.event_id, position: event.content })),
    },
    { status: 202 },
  );
const fail =
  (status: number, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json({ detail: 'not now' }, { status, headers });
const say = (content: string, more: Partial<AgentEvent> = {}): AgentEvent =>
  ({ type: 'message', conversation_id: 'c', role: 'user', content, ...more }) as AgentEvent;

describe('sendEvents', () => {
  it('sends 1,000 events per request, in order, and answers all positions', async () => {
    const { client, seen } = clientOver([accept]);
    const receipt = await client.sendEvents(Array.from({ length: 2_001 }, (_, at) => say(String(at))));
    expect(seen.map((one) => one.events.length)).toEqual([1_000, 1_000, 1]);
    expect(receipt.accepted).toBe(2_001);
    expect(receipt.positions.map((one) => one.position)).toEqual(
      Array.from({ length: 2_001 }, (_, at) => String(at)),
    );
  });

  it('sends fewer where they are large, and nothing for nothing', async () => {
    const { client, seen } = clientOver([accept]);
    await client.sendEvents([say('a'.repeat(7_000_000)), say('b'.repeat(7_000_000)), say('c')]);
    expect(seen.map((one) => one.events.length)).toEqual([1, 2]);
    expect(await client.sendEvents([])).toEqual({ accepted: 0, duplicates: 0, positions: [] });
  });

  it('repeats a request with the same ids, which it made before the first try', async () => {
    const { client, seen } = clientOver([fail(503), () => new TypeError('socket hang up'), accept]);
    await client.sendEvents([say('a'), say('b', { event_id: '01890000-0000-7000-8000-000000000001' })]);
    expect(seen).toHaveLength(3);
    const ids = seen.map((one) => one.events.map((event) => event.event_id).join());
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36},01890000-0000-7000-8000-000000000001$/);
  });

  it('waits as long as the server says, else longer each time', async () => {
    const { client, pauses } = clientOver([fail(429, { 'retry-after': '3' }), fail(500), fail(502), accept]);
    await client.sendEvents([say('a')]);
    expect(pauses).toEqual([3_000, 400, 800]);
  });

  it('gives up after its tries with the last error', async () => {
    const { client, seen } = clientOver([fail(503)], { attempts: 3 });
    const error = await client.sendEvents([say('a')]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ status: 503, problem: { detail: 'not now' } });
    expect(seen).toHaveLength(3);
    const gone = clientOver([() => new TypeError('refused')], { attempts: 2 });
    await expect(gone.client.sendEvents([say('a')])).rejects.toMatchObject({
      status: 0,
      cause: { message: 'refused' },
    });
  });

  it.each([400, 401, 403, 409, 413, 501])('does not repeat a request answered with %d', async (status) => {
    const { client, seen } = clientOver([fail(status)]);
    await expect(client.sendEvents([say('a')])).rejects.toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });

  it('keeps a seq beyond 2^53', async () => {
    const { client, seen } = clientOver([accept]);
    await client.sendEvents([say('a', { seq: 9007199254740993n })]);
    expect(seen[0]?.events[0]?.seq).toBe('9007199254740993');
  });
});

describe('readers', () => {
  it('ask with the key, and with ids and options encoded', async () => {
    const { client, seen } = clientOver([() => Response.json({ messages: [] })]);
    await client.context('a/b ї', { budget: 100, after: '0000-0000000000000000' });
    await client.artifact('x?y');
    await client.head('x');
    await client.head('x', 5);
    await client.lines('x', 2, 3);
    await client.grep('x', 'a b|c', { max: 2 });
    await client.fields('x', ['a[0]', '$..b']);
    expect(seen.map((one) => one.url.replace('http://127.0.0.1:1/v1', ''))).toEqual([
      '/conversations/a%2Fb%20%D1%97/context?budget=100&after=0000-0000000000000000',
      '/artifacts/x%3Fy',
      '/artifacts/x/head',
      '/artifacts/x/head?lines=5',
      '/artifacts/x/lines?from=2&to=3',
      '/artifacts/x/grep?pattern=a+b%7Cc&max=2',
      '/artifacts/x/fields?paths=a%5B0%5D%2C%24..b&as=text',
    ]);
    expect(seen[0]?.headers['authorization']).toBe('Bearer k');
  });
});
