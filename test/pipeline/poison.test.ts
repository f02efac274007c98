import { randomUUID } from 'node:crypto';
import {
  type EventCodec,
  type MessageEvent,
  type PalimpsestEvent,
  type StepEvent,
  textPart,
  TOPICS,
} from '@palimpsest/events';
import type { NewRecord } from '@palimpsest/log';
import { type DeadLetter, readDeadLetter } from '@palimpsest/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventCodec } from '../harness/event-codec.js';
import { type RunningStack, runStack } from '../harness/running-stack.js';

let stack: RunningStack;
let codec: EventCodec;
/** Id of a schema that is registered, of a record that is no event of ours. */
let strangeSchema: number;

beforeAll(async () => {
  stack = await runStack();
  const made = await eventCodec(stack.pool);
  codec = made.codec;
  strangeSchema = await made.registry.register(
    'strange',
    JSON.stringify({ type: 'record', name: 'Strange', fields: [{ name: 'id', type: 'string' }] }),
  );
});
afterAll(() => stack.close());

const envelope = {
  tenant: 'default',
  seq: null,
  occurred_at: Date.parse('2026-11-30T12:00:00Z'),
  client_id: null,
  task_id: null,
  agent: null,
};
function message(conversation_id: string, text: string, more: Partial<MessageEvent> = {}): MessageEvent {
  const content = [textPart(text)];
  return {
    type: 'message',
    event_id: randomUUID(),
    conversation_id,
    role: 'user',
    content,
    ...envelope,
    ...more,
  };
}
function step(conversation_id: string, usage: Partial<StepEvent['usage']>): StepEvent {
  const id = randomUUID();
  return {
    ...envelope,
    type: 'step',
    event_id: id,
    conversation_id,
    task_id: 'S33',
    step_index: 0,
    run_id: null,
    provider: 'openai',
    model: 'gpt-4o',
    usage: {
      input: 100,
      output: 10,
      cache_read: null,
      cache_write_5m: null,
      cache_write_1h: null,
      reasoning: null,
      ...usage,
    },
    usage_semantics: null,
    answer_id: id,
    request_id: null,
    final: true,
    purpose: 'answer',
    strategy: null,
    generation: null,
    model_resolved: null,
    tool_name: null,
    tool_result_bytes: null,
    state_bytes: null,
    latency_ms: null,
    ttft_ms: null,
    context_tokens: null,
    stable_prefix_tokens: null,
  } as StepEvent;
}

const record = (event: PalimpsestEvent, headers: Record<string, string> = {}): NewRecord => ({
  key: 'default/S33',
  value: codec.encode(event),
  headers,
});
const raw = (value: Buffer | null, headers: Record<string, string> = {}): NewRecord => ({
  key: 'default/S33',
  value,
  headers,
});
function wire(schemaId: number, body = Buffer.from([2, 65])): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(schemaId, 1);
  return Buffer.concat([head, body]);
}

/** Dead letters of one consumer by the offset of the record they are about, each checked to hold the original. */
async function lettersOf(
  topic: string,
  consumer: string,
  appended: readonly NewRecord[],
  places: readonly { partition: number; offset: bigint }[],
): Promise<Map<number, DeadLetter>> {
  const found = new Map<number, DeadLetter>();
  for (const letter of (await stack.deadLettersOf(topic)).map(readDeadLetter)) {
    const [first] = places;
    const isEarlier = letter.partition === first?.partition && letter.offset < first.offset;
    if (letter.consumer !== consumer || isEarlier) continue;
    const at = places.findIndex(
      ({ partition, offset }) => partition === letter.partition && offset === letter.offset,
    );
    expect(at, `a dead letter of ${letter.partition}/${letter.offset} that was good`).toBeGreaterThanOrEqual(
      0,
    );
    const original = appended[at] as NewRecord;
    expect(letter.topic).toBe(topic);
    expect(letter.key).toBe(original.key);
    expect(letter.value).toEqual(original.value);
    expect(letter.headers).toEqual(original.headers ?? {});
    expect(letter.error).not.toBe('');
    found.set(at, letter);
  }
  return found;
}

describe('broken records in the log (case 18)', () => {
  it('go to the dead letters with place, reason and bytes, and the messages around them are folded', async () => {
    const broken: [NewRecord, RegExp][] = [
      [raw(Buffer.from('this is not json {{{')), /wire format/],
      [raw(Buffer.alloc(0)), /wire format/],
      [raw(wire(987_654)), /987654 is not known/],
      [raw(wire(strangeSchema)), /no event type of ours/],
      [raw(codec.encode(message('S33', 'cut short')).subarray(0, 30)), /Broken Avro/],
      [raw(Buffer.from('junk'), { size: 'junk', 'event-id': 'no id' }), /wire format/],
    ];
    const appended = [
      record(message('S33', 'first')),
      ...broken.map(([one]) => one),
      raw(null),
      record(message('S33', 'last'), { size: 'junk' }),
    ];
    const places = await stack.log.append(TOPICS.messages, appended);
    await stack.settled();

    const { body } = await stack.ask('/v1/conversations/S33/messages');
    expect(body.messages.map((one: { text?: string }) => one.text ?? one)).toHaveLength(2);
    expect(JSON.stringify(body)).toMatch(/first.*last/);
    expect((await stack.ask('/v1/conversations/S33')).body).toMatchObject({ lag: 0, conflicts: [] });
    for (const consumer of ['truncator', 'summarizer', 'fact-extractor']) {
      const letters = await lettersOf(TOPICS.messages, consumer, appended, places);
      expect([...letters.keys()].toSorted()).toEqual(broken.map((_, at) => at + 1));
      for (const [at, [, reason]] of broken.entries()) expect(letters.get(at + 1)?.error).toMatch(reason);
    }
  });

  it('do not hold up others where only the handler can tell that they are broken', async () => {
    const appended = [
      record(message('S34', 'before')),
      record(message('S34', 'no id', { event_id: 'not-a-uuid' })),
      record({ ...step('S34', {}), task_id: 'S34' }),
      record(message('S34', 'after')),
    ];
    const places = await stack.log.append(TOPICS.messages, appended);
    await stack.settled();
    const kinds = await stack.rows(
      `select kind, entry::json ->> 'text' as text from palimpsest.messages where conversation_id = 'S34' order by ord`,
    );
    expect(kinds).toEqual([
      { kind: 'message', text: 'before' },
      { kind: 'message', text: 'after' },
    ]);
    const letters = await lettersOf(TOPICS.messages, 'truncator', [...appended], places);
    expect([...letters.keys()].toSorted()).toEqual([1, 2]);
  });

  it('never reach a sum of the ledger', async () => {
    const broken: [NewRecord, RegExp][] = [
      [record(step('S33', { input: -5 })), /-5/],
      [record(step('S33', { output: -1 })), /-1/],
      [record(step('S33', { cache_read: -1 })), /cache_read/],
      [record(step('S33', { input: 2 ** 52 })), /4503599627370496/],
      [raw(Buffer.from('this is not json {{{')), /wire format/],
      [record(message('S33', 'a message is no step')), /does not belong/],
    ];
    const appended = [
      record(step('S33', {})),
      ...broken.map(([one]) => one),
      raw(null),
      record(step('S33', {})),
    ];
    const places = await stack.log.append(TOPICS.steps, appended);
    await stack.settled();
    const letters = await lettersOf(TOPICS.steps, 'metrics-sink', appended, places);
    expect([...letters.keys()].toSorted()).toEqual(broken.map((_, at) => at + 1));
    for (const [at, [, reason]] of broken.entries()) expect(letters.get(at + 1)?.error).toMatch(reason);
    const [sum] = await stack.bill(
      `select toString(count()) as steps, toString(sum(input_uncached)) as input, toString(sum(s.output)) as output,
              min(s.cost) >= 0 as sane from steps as s where conversation = 'S33'`,
    );
    expect(sum).toMatchObject({ steps: '2', input: '200', output: '20' });
    expect(Number(sum?.['sane'])).toBe(1);
  });

  it('leave no number that is none in the metrics', async () => {
    const { body } = await stack.ask('/metrics');
    const samples = String(body)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(samples.length).toBeGreaterThan(10);
    for (const sample of samples) expect(Number(sample.split(' ').at(-1)), sample).toBeGreaterThanOrEqual(0);
  });
});

const usage = (value: unknown): object => ({
  type: 'step',
  conversation_id: 'S33-api',
  task_id: 't',
  step_index: 0,
  provider: 'openai',
  model: 'gpt-4o',
  usage: value,
});

describe('the same through the API', () => {
  const good = { type: 'message', conversation_id: 'S33-api', role: 'user', content: 'ok' };
  it.each<[string, unknown, RegExp]>([
    ['text that is not JSON', 'this is not json {{{', /JSON/],
    ['an empty body', '', /body|JSON/],
    ['an unknown type', { events: [good, { ...good, type: 'unknown_type' }] }, /\/events\/1\/type/],
    ['usage in words', { events: [good, usage({ input: 'many', output: 5 })] }, /\/events\/1\/usage\/input/],
    ['negative usage', { events: [good, usage({ input: 1, output: -5 })] }, /\/events\/1\/usage\/output/],
    [
      'usage that is NaN',
      { events: [good, usage({ input: Number.NaN, output: 5 })] },
      /\/events\/1\/usage\/input/,
    ],
    ['a part of a token', { events: [good, usage({ input: 1.5, output: 5 })] }, /\/events\/1\/usage\/input/],
    ['no usage', { events: [good, usage(undefined)] }, /\/events\/1\/usage/],
    ['null in place of an event', { events: [good, null] }, /\/events\/1/],
    ['a list in place of a batch', [good], /\/events|object/],
    ['an id that is none', { events: [good, { ...good, event_id: 'not-a-uuid' }] }, /\/events\/1\/event_id/],
  ])('refuses %s, names the field and stores nothing', async (_what, body, field) => {
    const answer = await stack.ask('/v1/events', { body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.get('content-type')).toMatch(/problem\+json/);
    expect(JSON.stringify(answer.body)).toMatch(field);
    expect(
      await stack.rows(`select from palimpsest.accepted_events where conversation_id = 'S33-api'`),
    ).toEqual([]);
  });
});
