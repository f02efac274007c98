import { describe, expect, it } from 'vitest';
import { sampleInputs, withField } from '../test/sample-inputs.js';
import { inputDigest } from './digest.js';
import { inputEvent } from './input.js';
import { parseJson } from './parse-json.js';

const digestOf = (event: unknown) => inputDigest(inputEvent.parse(event)).toString('hex');

/** The value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

const patch = (json: string) =>
  digestOf(parseJson(`{"type":"state_patch","conversation_id":"c","task_id":"t","patch":${json}}`));

describe('the digest of an input', () => {
  it.each(sampleInputs)('of $type is the same for any order of fields', (sample) => {
    expect(digestOf(reversed(sample))).toBe(digestOf(sample));
  });

  it.each(sampleInputs)('of $type changes with every field', (sample) => {
    const seen = new Set([digestOf(sample)]);
    const others: Record<string, unknown> = {
      conversation_id: 'other',
      seq: 8,
      occurred_at: '2026-01-01T00:00:01Z',
      client_id: 'other',
      task_id: 'other',
      agent: 'other',
    };
    for (const [field, value] of Object.entries(others))
      seen.add(digestOf(withField(sample, [field], value)));
    expect(seen.size).toBe(1 + Object.keys(others).length);
    const { seq: _, ...without } = sample;
    expect(digestOf(without)).not.toBe(digestOf(sample));
  });

  it('tells values apart that differ anywhere inside', () => {
    const texts = ['{}', '{"a":1}', '{"a":1.0}', '{"a":"1"}', '{"a":[1,2]}', '{"a":[2,1]}', '{"a":null}'];
    const more = ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{"a":12345678901234567890}'];
    const most = ['{"a":12345678901234567891}', '{"a":{"isLosslessNumber":true,"value":"1.0"}}'];
    const all = [...texts, ...more, ...most];
    expect(new Set(all.map(patch)).size).toBe(all.length);
  });

  it('is one for one JSON object in any order', () => {
    expect(patch('{"b":{"d":1,"c":1.0},"a":[{"y":1,"x":2}]}')).toBe(
      patch('{"a":[{"x":2,"y":1}],"b":{"c":1.0,"d":1}}'),
    );
  });
});
