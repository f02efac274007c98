import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnthropicModel } from './anthropic/anthropic-model.js';
import { createExtractiveModel } from './extractive/extractive-model.js';
import type { LanguageModel, SourceMessage } from './language-model.js';
import { asksForFacts, type LoopbackServer, startLoopbackServer } from './loopback-server.js';
import { createOpenAICompatibleModel } from './openai-compatible/openai-compatible-model.js';

let server: LoopbackServer;
beforeAll(async () => {
  server = await startLoopbackServer({
    fallback: (seen) => ({
      kind: 'answer',
      text: asksForFacts(seen) ? '{"facts":[]}' : 'The user asks about an order.',
    }),
  });
});
afterAll(() => server.close());

const messages: SourceMessage[] = [
  {
    id: 'e1',
    kind: 'message',
    role: 'user',
    text: 'Where is order ORD-5512? I need it by Friday.',
    tool: null,
    at: 0,
  },
  { id: 'e2', kind: 'message', role: 'assistant', text: 'It left on Monday.', tool: null, at: 1 },
];
const request = { messages, language: null, timeZone: null, maxTokens: 200 };
const signal = new AbortController().signal;

const PROVIDERS: [string, () => LanguageModel][] = [
  ['extractive', () => createExtractiveModel({ countTokens: (text) => text.length / 4 })],
  ['anthropic', () => createAnthropicModel({ baseUrl: server.baseUrl, model: 'm' })],
  ['openai-compatible', () => createOpenAICompatibleModel({ baseUrl: server.baseUrl, model: 'm' })],
];

describe.each(PROVIDERS)('the model port: %s', (_name, create) => {
  it('answers with a text and with facts, whole and with their hashes', async () => {
    const model = create();
    const summary = await model.summarize(request, signal);
    expect(summary.text).not.toBe('');
    expect(summary.prompt_hash).toBe(model.promptHash('summary', request));
    const facts = await model.extractFacts(request, signal);
    expect(facts.prompt_hash).toBe(model.promptHash('facts', request));
  });

  it('loses no identifier: text and carried hold them all', async () => {
    const { text, carried } = await create().summarize(request, signal);
    expect(text + carried.join(' ')).toContain('ORD-5512');
  });

  it('hashes the prompt by purpose and limits, the input by the source', async () => {
    const model = create();
    expect(model.promptHash('summary', { maxTokens: 1 })).not.toBe(
      model.promptHash('summary', { maxTokens: 2 }),
    );
    expect(model.promptHash('summary', request)).not.toBe(model.promptHash('facts', request));
    const one = await model.extractFacts(request, signal);
    const other = await model.extractFacts({ ...request, messages: messages.slice(1) }, signal);
    expect(other.input_hash).not.toBe(one.input_hash);
    expect(other.prompt_hash).toBe(one.prompt_hash);
  });

  it('knows every prompt it may use beforehand, and hashes each answer', async () => {
    const model = create();
    for (const agentType of [null, 'shop', 'Support', 'no such type']) {
      for (const purpose of ['summary', 'facts'] as const) {
        const hash = model.promptHash(purpose, request, { agentType, language: 'uk' });
        expect(model.promptHashes(purpose, request)).toContain(hash);
      }
    }
    const answer = await model.summarize({ ...request, agentType: 'shop' }, signal);
    expect(answer.prompt_hash).toBe(model.promptHash('summary', request, { agentType: 'shop' }));
    expect(answer.answer_hash).toMatch(/^[0-9a-f]{64}$/u);
  });

  it('rejects when the signal is aborted', async () => {
    await expect(create().summarize(request, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    await expect(create().extractFacts(request, AbortSignal.abort(new Error('stop')))).rejects.toThrow(
      'stop',
    );
  });
});
