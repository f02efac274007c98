import { gzipSync } from 'node:zlib';
import { type StepEvent, TOPICS } from '@palimpsest/events';
import { createPriceBook, stepRow } from '@palimpsest/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
beforeAll(async () => {
  server = await startTestApi();
});
afterAll(() => server.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const ended = Date.UTC(2026, 0, 15, 12, 0, 0, 500);
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'anthropic',
  'gen_ai.request.model': 'claude-sonnet-4-5',
  'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
  'gen_ai.response.id': 'msg_1',
  'gen_ai.conversation.id': 'conv-1',
  'gen_ai.agent.name': 'support',
  'gen_ai.usage.input_tokens': 1200,
  'gen_ai.usage.output_tokens': 100,
  'gen_ai.usage.cache_read.input_tokens': 700,
  'gen_ai.usage.cache_creation.input_tokens': 200,
  'palimpsest.task_id': 'task-1',
  'palimpsest.step_index': 3,
};
type Attributes = Record<string, string | number | boolean>;
interface Span {
  id: string;
  attributes: Attributes;
}

const pairs = (of: Attributes) =>
  Object.entries(of).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: String(value) },
  }));
const answered = (id: string, answer: string): Span[] => [
  { id, attributes: { ...attributes, 'gen_ai.response.id': answer } },
];

function json(spans: readonly Span[]): string {
  const all = spans.map(({ id, attributes: of }) => ({
    traceId: TRACE,
    spanId: id,
    name: 'chat',
    startTimeUnixNano: `${ended - 250}000000`,
    endTimeUnixNano: `${ended}000000`,
    attributes: pairs(of),
  }));
  const resource = { attributes: pairs({ 'service.name': 'shop' }) };
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'x' }, spans: all }] }],
  });
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
const field = (number: number, body: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
const fixed = (number: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
};

function protobuf(spans: readonly Span[]): Buffer {
  const all = spans.map(({ id, attributes: of }) =>
    field(
      2,
      Buffer.concat([
        field(1, Buffer.from(TRACE, 'hex')),
        field(2, Buffer.from(id, 'hex')),
        field(5, Buffer.from('chat')),
        fixed(7, BigInt(ended - 250) * 1_000_000n),
        fixed(8, BigInt(ended) * 1_000_000n),
        ...Object.entries(of).map(([key, value]) => {
          const any =
            typeof value === 'number'
              ? Buffer.concat([varint(3 * 8), varint(value)])
              : field(1, Buffer.from(String(value)));
          return field(9, Buffer.concat([field(1, Buffer.from(key)), field(2, any)]));
        }),
      ]),
    ),
  );
  return field(1, field(2, Buffer.concat(all)));
}

const send = async (payload: string | Buffer, type: string, more: Record<string, string> = {}) =>
  server.send({
    method: 'POST',
    url: '/v1/traces',
    payload,
    headers: { authorization: `Bearer ${await server.key('acme')}`, 'content-type': type, ...more },
  });

async function steps(): Promise<StepEvent[]> {
  const pages = await Promise.all(
    [0, 1, 2, 3].map((partition) => server.log.read(TOPICS.steps, partition, 0n, 1000)),
  );
  const events = await Promise.all(
    pages.flat().map((record) => server.codec.decode(record.value as Buffer, record.headers)),
  );
  return events as StepEvent[];
}
const stepOf = async (answer: string): Promise<StepEvent | undefined> =>
  (await steps()).find((step) => step.answer_id === answer);

describe('GenAI spans over OTLP', () => {
  it('give the row that a step event of the same call gives', async () => {
    const response = await send(json([{ id: '00f067aa0ba902b7', attributes }]), 'application/json');
    expect([response.statusCode, response.json()]).toEqual([200, {}]);
    const posted = await server.post([
      {
        type: 'step',
        conversation_id: 'conv-1',
        occurred_at: new Date(ended).toISOString(),
        task_id: 'task-1',
        step_index: 3,
        agent: 'support',
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        model_resolved: 'claude-sonnet-4-5-20250929',
        answer_id: 'posted',
        latency_ms: 250,
        usage: { input: 300, output: 100, cache_read: 700, cache_write_5m: 200 },
      },
    ]);
    expect(posted.statusCode).toBe(202);
    const [span, event] = [await stepOf('msg_1'), await stepOf('posted')];
    const prices = createPriceBook([], []);
    const row = (step: StepEvent) => {
      const cells = stepRow(
        { ...step, event_id: 'e', answer_id: 'a', usage_semantics: step.usage_semantics },
        prices,
      ).cells;
      // How the provider counted is what differs: reported_input and usage_semantics.
      return cells.filter((_, i) => i !== 19 && i !== 31);
    };
    expect(row(span as StepEvent)).toEqual(row(event as StepEvent));
    expect(span?.usage).toMatchObject({ input: 1200, cache_read: 700, cache_write_5m: 200 });
  });

  it('are the same as JSON, as protobuf and compressed', async () => {
    const bodies = [
      send(json(answered('0000000000000001', 'as-json')), 'application/json; charset=utf-8'),
      send(protobuf(answered('0000000000000002', 'as-protobuf')), 'application/x-protobuf'),
      send(gzipSync(protobuf(answered('0000000000000003', 'as-gzip'))), 'application/x-protobuf', {
        'content-encoding': 'gzip',
      }),
    ];
    for (const response of await Promise.all(bodies)) expect(response.statusCode).toBe(200);
    const [first, ...others] = (await Promise.all(['as-json', 'as-protobuf', 'as-gzip'].map(stepOf))).map(
      (step) => ({
        ...step,
        event_id: '',
        answer_id: '',
      }),
    );
    expect(first?.model).toBe('claude-sonnet-4-5');
    for (const other of others) expect(other).toEqual(first);
  });

  it('count once when an export is sent again', async () => {
    const before = (await steps()).length;
    const again: Span[] = [
      { id: '00000000000000aa', attributes: { ...attributes, 'gen_ai.response.id': 'again' } },
    ];
    await send(json(again), 'application/json');
    await send(protobuf(again), 'application/x-protobuf');
    expect(await steps()).toHaveLength(before + 1);
  });

  it('pass over what is no model call, and refuse bad counts without the others', async () => {
    const before = (await steps()).length;
    const spans: Span[] = [
      {
        id: '00000000000000b1',
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.usage.input_tokens': 5 },
      },
      { id: '00000000000000b2', attributes: { 'http.method': 'GET' } },
      { id: '00000000000000b3', attributes: { ...attributes, 'gen_ai.usage.input_tokens': 'many' } },
      { id: '00000000000000b4', attributes: { 'gen_ai.usage.input_tokens': 1 } },
      { id: '00000000000000b5', attributes: { ...attributes, 'gen_ai.response.id': 'good' } },
    ];
    const response = await send(json(spans), 'application/json');
    expect(response.json().partialSuccess).toMatchObject({ rejectedSpans: '2' });
    expect(response.json().partialSuccess.errorMessage).toContain('"many"');
    expect(await steps()).toHaveLength(before + 1);
    const binary = await send(protobuf(spans), 'application/x-protobuf');
    expect(binary.rawPayload.includes('"many"')).toBe(true);
  });

  it.each([
    ['no JSON', '{', 'application/json'],
    ['another shape', '{"resourceSpans":{}}', 'application/json'],
    ['a broken id', json([{ id: 'xyz', attributes }]), 'application/json'],
    [
      'cut protobuf',
      protobuf([{ id: '00000000000000c1', attributes }]).subarray(0, 50),
      'application/x-protobuf',
    ],
    ['no protobuf', Buffer.from([7, 7, 7]), 'application/x-protobuf'],
  ])('are refused as a whole: %s', async (_, body, type) => {
    expect((await send(body, type)).statusCode).toBe(400);
  });

  it('are not unpacked without end', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect((await send(bomb, 'application/x-protobuf', { 'content-encoding': 'gzip' })).statusCode).toBe(413);
  });
});
