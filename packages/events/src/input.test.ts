import { describe, expect, it } from 'vitest';
import { sampleInputs, withField } from '../test/sample-inputs.js';
import { inputBatch, inputEvent, partsOf } from './input.js';
import { parseJson, writeJson } from './parse-json.js';

/** Fields that hold JSON of the client's own: what is inside is not checked. */
const OPEN = new Set(['arguments', 'patch', 'schema']);

/** Paths of every field of a sample. */
function fieldPaths(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object') return [path];
  if (OPEN.has(String(path.at(-1)))) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  const below = entries.flatMap(([key, inner]) => fieldPaths(inner, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

/** Does the issue speak of the field, or of a union it lies in (whose text then says what is accepted)? */
function names(issue: { path: PropertyKey[] }, path: (string | number)[]): boolean {
  const at = issue.path.map(String);
  const content = path[0] === 'content' && at.join('.') === 'content';
  return content || at.join('.') === path.map(String).join('.');
}

const step = (usage: string) =>
  inputEvent.safeParse(
    parseJson(
      `{"type":"step","conversation_id":"c","task_id":"t","step_index":1.0,"provider":"p","model":"m","usage":${usage}}`,
    ),
  );

const read = (fields: string) =>
  inputEvent.parse(parseJson(`{"conversation_id":"c","task_id":"t",${fields}}`));

const image = (fields: object) =>
  accepts({ type: 'message', role: 'user', content: [{ type: 'image', ...fields }] });

const events = (length: number) => ({ events: Array.from({ length }, () => ({ ...base, ...phase })) });

describe.each(sampleInputs)('an input $type', (sample) => {
  it('is taken with all its fields', () => {
    const { error } = inputEvent.safeParse(sample);
    expect(error).toBeUndefined();
  });

  it('is refused with an issue that names the one field that is wrong', () => {
    for (const path of fieldPaths(sample)) {
      if (path[0] === 'content' && sample.type === 'tool_result') continue; // any JSON
      const { error } = inputEvent.safeParse(withField(sample, path, Symbol.iterator));
      const issues = error?.issues ?? [];
      expect([path, issues.length > 0, issues.every((issue) => names(issue, path))]).toEqual([
        path,
        true,
        true,
      ]);
      for (const issue of issues) expect(issue.message).not.toBe('Invalid input');
    }
  });

  it('is refused with a field that no one knows, by its name', () => {
    for (const unknown of ['tenant', 'Seq', '__proto__']) {
      const { error } = inputEvent.safeParse(
        parseJson(JSON.stringify(sample).replace('{', `{"${unknown}":1,`)),
      );
      expect(error?.issues[0]?.message).toContain(unknown);
    }
  });

  it('is refused without its conversation', () => {
    const { conversation_id: _, ...rest } = sample;
    expect(inputEvent.safeParse(rest).error?.issues[0]?.path).toEqual(['conversation_id']);
  });
});

const base = { conversation_id: 'c' };
const accepts = (event: object) => inputEvent.safeParse({ ...base, ...event }).success;
const phase = { type: 'phase', task_id: 't', phase: 'p' };

describe('fields of an input', () => {
  it.each([
    ['seq', '0', 0n],
    ['seq', '"9223372036854775807"', 9_223_372_036_854_775_807n],
    ['seq', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['seq', '7.0', 7n],
    ['occurred_at', '"2026-01-01T02:00:00.5+02:00"', 1_767_225_600_500],
    ['event_id', '"0198F3A0-7C1E-7D3A-9B1E-2F6A5C4D3E21"', '0198f3a0-7c1e-7d3a-9b1e-2f6a5c4d3e21'],
  ])('%s: %s is taken', (field, text, value) => {
    const event = { ...base, ...phase, [field]: parseJson(text) };
    expect(inputEvent.parse(event)).toMatchObject({ [field]: value });
  });

  it.each([
    ['seq', '-1'],
    ['seq', '9223372036854775808'],
    ['seq', '1.5'],
    ['seq', 'null'],
    ['seq', '"x"'],
    ['occurred_at', '"2026-01-01"'],
    ['occurred_at', '"2026-01-01T00:00:00"'],
    ['occurred_at', '"2026-13-01T00:00:00Z"'],
    ['occurred_at', '"1969-12-31T23:59:59Z"'],
    ['occurred_at', '"2026-02-30T00:00:00Z"'],
    ['occurred_at', '1767225600000'],
    ['event_id', '"55"'],
    ['agent', '""'],
    ['agent', '"\\u0000"'],
    ['agent', '"\\ud800"'],
    ['agent', JSON.stringify('a'.repeat(513))],
    ['phase', 'null'],
  ])('%s: %s is refused', (field, text) => {
    expect(accepts({ ...phase, [field]: parseJson(text) })).toBe(false);
  });

  it('that are numbers take 1.0 and 1E2, and nothing that is no count', () => {
    expect(step('{"input":1E2,"output":3.0}').data).toMatchObject({
      step_index: 1,
      usage: { input: 100, output: 3 },
    });
    for (const wrong of ['-5', '1.5', '1e400', '9007199254740993', '"many"', 'null']) {
      const { error } = step(`{"input":${wrong},"output":1}`);
      expect(error?.issues[0]?.path).toEqual(['usage', 'input']);
    }
  });

  it('that hold JSON keep it as it was written, __proto__ and all', () => {
    const json = '{"__proto__":{"x":1},"n":[12345678901234567890,1.10,1e400,-0,1E5,0.1],"constructor":1}';
    const call = read(`"type":"tool_call","call_id":"k","tool":"t","arguments":${json}`);
    const patch = read(`"type":"state_patch","patch":${json}`);
    const tools = read(`"type":"tools_declared","tools":[{"name":"t","summary":"s","schema":${json}}]`);
    const result = read(`"type":"tool_result","call_id":"k","content":${json}`);
    expect(call.type === 'tool_call' && writeJson(call.arguments)).toBe(json);
    expect(patch.type === 'state_patch' && writeJson(patch.patch)).toBe(json);
    expect(tools.type === 'tools_declared' && writeJson(tools.tools[0]?.schema)).toBe(json);
    expect(result.type === 'tool_result' && writeJson(result.content)).toBe(json);
  });

  it('that hold an object take no list, no number and no null', () => {
    for (const wrong of ['[]', '1', '1.0', 'null']) {
      const value = parseJson(wrong);
      expect(accepts({ type: 'state_patch', task_id: 't', patch: value })).toBe(false);
      expect(accepts({ type: 'tool_call', call_id: 'k', tool: 't', arguments: value })).toBe(false);
    }
    expect(accepts({ type: 'state_patch', task_id: 't' })).toBe(false);
  });

  it('that name a MIME type or an answer hold no NUL, which Postgres refuses', () => {
    expect(accepts({ type: 'tool_result', call_id: 'k', content: '', content_type: 'text\0' })).toBe(false);
    expect(
      accepts({
        type: 'message',
        role: 'user',
        content: [{ type: 'image', data: 'a', mime: 'a\0' }],
      }),
    ).toBe(false);
  });

  it('of an image are data or a url, not both', () => {
    expect(image({ data: 'a' })).toBe(true);
    expect(image({ url: 'https://example.com' })).toBe(true);
    expect(image({})).toBe(false);
    expect(image({ data: 'a', url: 'https://example.com' })).toBe(false);
  });

  it('of a tool result may be any JSON, but must be there', () => {
    for (const content of ['', 0, null, false, [], {}, [{ type: 'text' }]]) {
      expect(accepts({ type: 'tool_result', call_id: 'k', content })).toBe(true);
    }
    expect(accepts({ type: 'tool_result', call_id: 'k' })).toBe(false);
  });

  it('say which types there are where the type is none', () => {
    const { error } = inputEvent.safeParse({ ...base, type: 'metrics' });
    expect(error?.issues[0]).toMatchObject({
      path: ['type'],
      message: expect.stringMatching(/tool_call.*task_finished/) as string,
    });
  });
});

describe('a batch', () => {
  it('holds 1 to 1,000 events', () => {
    expect([0, 1, 1000, 1001].map((n) => inputBatch.safeParse(events(n)).success)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a tool result that looks like parts', () => {
  const text = { type: 'text', text: 'a' };
  it('is parts where every item is one', () => {
    expect(partsOf([text, { type: 'image', url: 'https://example.com' }])).toHaveLength(2);
  });
  it.each([
    ['a further field', [{ ...text, score: 1 }]],
    ['a further field later', [text, { ...text, annotations: [] }]],
    ['another type', [text, { type: 'row', text: 'a' }]],
    ['no type', [{ text: 'a' }]],
    ['an image of nothing', [{ type: 'image' }]],
    ['plain rows', [1, 2]],
    ['nothing', []],
    ['no list', text],
  ])('is JSON where it has %s', (_, value) => {
    expect(partsOf(value)).toBeUndefined();
  });
});
