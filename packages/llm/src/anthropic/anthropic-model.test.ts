import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FactsRequest, SourceMessage } from '../language-model.js';
import { FAULTS, type LoopbackServer, startLoopbackServer } from '../loopback-server.js';
import { type AnthropicOptions, createAnthropicModel } from './anthropic-model.js';
import { readUsage } from './read-usage.js';

const messages: SourceMessage[] = [
  { id: 'e1', kind: 'message', role: 'user', text: 'My order is ORD-1', tool: null, at: 0 },
];
const request: FactsRequest = { messages, language: null, timeZone: null, maxTokens: 100 };
const fact = {
  fact_type: 'detail',
  actor: 'client',
  subject: 'order',
  payload: 'ORD-1',
  valid_from: null,
  valid_until: null,
};
const good = { kind: 'answer', text: JSON.stringify({ facts: [{ ...fact, message: 1 }] }) } as const;
const summary = { kind: 'answer', text: 'The user has order ORD-1.' } as const;
const signal = new AbortController().signal;

let server: LoopbackServer;
beforeEach(async () => {
  server = await startLoopbackServer({ fallback: good });
});
afterEach(() => server.close());
const model = (options: Partial<AnthropicOptions> = {}) =>
  createAnthropicModel({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1, timeoutMs: 2000, ...options });

describe('the Messages API', () => {
  it('gets instructions apart from the source, a limit and the key', async () => {
    server.script(summary);
    expect((await model({ apiKey: 'k' }).summarize(request, signal)).text).toBe(summary.text);
    const [{ body, authorization } = { body: {}, authorization: undefined }] = server.requests;
    expect(authorization).toBe('k');
    expect(body).toMatchObject({ max_tokens: 150, temperature: 0 });
    expect(body.system).toContain('condense');
    expect(body.messages?.map(({ role }) => role)).toEqual(['user']);
  });

  it('gives its usage without what was cached, and says so', async () => {
    const tried = model();
    expect(tried.usageSemantics).toBe('input_excludes_cache');
    expect((await tried.extractFacts(request, signal)).usage).toMatchObject({ input: 60, cache_read: 40 });
  });

  it('steps down from json_schema to a forced tool call and the prompt, and remembers it', async () => {
    const unserved = { kind: 'status', status: 400, text: 'output_config: unknown field' } as const;
    server.script(unserved);
    const tried = model();
    expect((await tried.extractFacts(request, signal)).facts).toEqual([{ ...fact, source_id: 'e1' }]);
    server.script(FAULTS.noTools);
    await tried.extractFacts(request, signal);
    await tried.extractFacts(request, signal);
    expect(
      server.requests.map(({ body }) => body.output_config?.format.type ?? (body.tools ? 'tool' : 'prompt')),
    ).toEqual(['json_schema', 'tool', 'tool', 'prompt', 'prompt']);
  });

  it.each([
    ['cutOff', 'cut_off'],
    ['withheld', 'filtered'],
    ['empty', 'empty'],
    ['wrongTypes', 'wrong_shape'],
    ['none', 'not_json'],
  ] as const)('rejects an answer that is %s', async (name, reason) => {
    server.script(FAULTS[name]);
    await expect(model().extractFacts(request, signal)).rejects.toMatchObject({ reason });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['limited', 'overloaded', 'drop', 'notJson', 'noChoices'] as const)(
    'comes through one %s',
    async (name) => {
      server.script(FAULTS[name], summary);
      expect((await model().summarize(request, signal)).text).toBe(summary.text);
      expect(server.requests).toHaveLength(2);
    },
  );
});

describe('server-side compaction', () => {
  const compaction = { triggerTokens: 20, countTokens: (text: string) => text.length / 4 };

  it('condenses a large source by our instructions and gives the block as the summary', async () => {
    server.script(summary);
    const answer = await model({ compaction }).summarize(request, signal);
    expect(answer).toMatchObject({ text: summary.text, stop_reason: 'compaction' });
    expect(answer.usage).toMatchObject({ input: 60, output: 20 });
    const [seen] = server.requests;
    expect(seen?.beta).toBe('compact-2026-01-12');
    expect(seen?.body.context_management?.edits).toMatchObject([
      { type: 'compact_20260112', trigger: { value: 50_000 }, pause_after_compaction: true },
    ]);
  });

  it('is left alone below the trigger, and is part of what identifies the prompt', async () => {
    server.script(summary);
    const large = model({ compaction: { ...compaction, triggerTokens: 50_000 } });
    await large.summarize(request, signal);
    expect(server.requests[0]?.body.context_management).toBeUndefined();
    expect(large.promptHash('summary', request)).not.toBe(model().promptHash('summary', request));
    expect(large.promptHash('facts', request)).toBe(model().promptHash('facts', request));
  });
});

describe('usage of the Messages API', () => {
  it('keeps cache writes of both lifetimes apart and sums the iterations of a compaction', () => {
    const part = { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 1 };
    const cache_creation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 };
    expect(readUsage({ ...part, cache_creation_input_tokens: 7, cache_creation })).toEqual({
      input: 5,
      output: 2,
      cache_read: 1,
      cache_write_5m: 3,
      cache_write_1h: 4,
      reasoning: null,
    });
    expect(readUsage({ ...part, iterations: [part, part] })).toMatchObject({
      input: 10,
      output: 4,
      cache_read: 2,
    });
  });

  it.each([
    [null],
    [{}],
    [{ input_tokens: '5', output_tokens: 1 }],
    [{ input_tokens: -1, output_tokens: 1 }],
  ])('makes no number up of %j', (usage) => {
    expect(readUsage(usage)).toBeNull();
  });
});
