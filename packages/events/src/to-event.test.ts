import { describe, expect, it } from 'vitest';
import { sampleIds } from '../test/sample-events.js';
import { sampleInputs } from '../test/sample-inputs.js';
import { createCodec } from './codec.js';
import { inputEvent } from './input.js';
import { parseJson } from './parse-json.js';
import { type Origin, toEvent } from './to-event.js';

const origin: Origin = {
  tenant: 'acme',
  now: 1_767_225_600_000,
  newId: () => '0198f3a0-0000-7000-8000-000000000000',
  strategy: 'live@1',
  generation: 9,
};
const codec = createCodec({ ids: sampleIds, schemaById: () => Promise.reject(new Error('not asked')) });
const eventOf = (json: string) => toEvent(inputEvent.parse(parseJson(json)), origin);

const result = (content: string, more = '') =>
  eventOf(`{"type":"tool_result","conversation_id":"c","call_id":"k","content":${content}${more}}`);

const text = (value: string) => [
  { kind: 'text', text: value, mime: null, data: null, url: null, signature: null },
];

const call = (args: string) =>
  eventOf(`{"type":"tool_call","conversation_id":"c","call_id":"k","tool":"t","arguments":${args}}`);

describe.each(sampleInputs)('an accepted $type', (sample) => {
  const event = toEvent(inputEvent.parse(sample), origin);

  it('becomes an event with the tenant of the key, which the log gives back as it is', () => {
    expect(event).toMatchObject({
      type: sample.type,
      tenant: 'acme',
      event_id: sample['event_id'],
      conversation_id: 'c1',
      seq: 7n,
      occurred_at: 1_767_225_600_000,
      client_id: 'client-1',
      task_id: 'task-1',
      agent: 'support',
    });
    expect(codec.decode(codec.encode(event))).toEqual(event);
  });

  it('keeps every field that was sent', () => {
    const sent = Object.keys(sample).flatMap((field) =>
      field === 'flags' ? ['verbatim', 'full_context'] : [field],
    );
    for (const field of sent) expect(event).toHaveProperty(field);
    expect(Object.values(event)).not.toContain(undefined);
  });
});

describe('what an input leaves out', () => {
  it('comes from the clock, the id maker and the live strategy', () => {
    const usage = '"usage":{"input":1,"output":2}';
    expect(
      eventOf(
        `{"type":"step","conversation_id":"c","task_id":"t","step_index":0,"provider":"p","model":"m",${usage}}`,
      ),
    ).toMatchObject({
      event_id: '0198f3a0-0000-7000-8000-000000000000',
      seq: null,
      occurred_at: origin.now,
      final: true,
      purpose: 'answer',
      strategy: 'live@1',
      generation: 9,
      usage: { input: 1, output: 2, cache_read: null, reasoning: null },
    });
  });

  it('does not give the live generation to a step of another strategy', () => {
    const step = sampleInputs.find(({ type }) => type === 'step');
    const event = toEvent(inputEvent.parse({ ...step, generation: undefined }), origin);
    expect(event).toMatchObject({ strategy: 'coding@1', generation: null });
  });

  it('is a completed outcome and empty arguments', () => {
    expect(eventOf('{"type":"task_finished","conversation_id":"c","task_id":"t"}')).toMatchObject({
      outcome: 'completed',
    });
    expect(eventOf('{"type":"tool_call","conversation_id":"c","call_id":"k","tool":"t"}')).toMatchObject({
      arguments: '{}',
    });
  });
});

describe('content of a tool result', () => {
  it('is its text where it is one', () => {
    expect(result('"ok"')).toMatchObject({ content: text('ok'), content_type: null });
  });

  it('is its parts where it is a list of them', () => {
    expect(
      result('[{"type":"text","text":"ok"},{"type":"thinking","text":"a","signature":"s"}]'),
    ).toMatchObject({
      content: [...text('ok'), { kind: 'thinking', text: 'a', signature: 's' }],
      content_type: null,
    });
  });

  it.each([
    '{"id":12345678901234567890,"price":1.10,"far":1e400,"zero":-0,"n":[1E5,0.1]}',
    '[{"type":"text","text":"a","score":0.50}]',
    '[]',
    'null',
    '1.0',
    '{"__proto__":1}',
  ])('is the JSON as it was written: %s', (json) => {
    expect(result(json)).toMatchObject({ content: text(json), content_type: 'application/json' });
    expect(result(json, ',"content_type":"table"')).toMatchObject({ content_type: 'table' });
  });

  it('keeps the raw text of arguments, and the numbers of an object', () => {
    expect(call('"{\\"a\\": 1.0"')).toMatchObject({ arguments: '{"a": 1.0' });
    expect(call('{"a": 1.0, "b": -0}')).toMatchObject({ arguments: '{"a":1.0,"b":-0}' });
  });
});
