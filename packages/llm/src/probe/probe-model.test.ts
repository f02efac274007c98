import { afterEach, describe, expect, it } from 'vitest';
import {
  asksForFacts,
  type Behaviour,
  type LoopbackServer,
  type SeenRequest,
  startLoopbackServer,
} from '../loopback-server.js';
import { probeModel } from './probe-model.js';

let server: LoopbackServer;
afterEach(() => server.close());

const SUMMARIES: Record<string, string> = {
  ru: 'Пользователь просит обменять куртку из заказа ORD-5512, он вернёт её до пятницы.',
  uk: 'Користувач просить обміняти куртку із замовлення ORD-5512, він поверне її до п’ятниці.',
  en: 'The user wants the jacket of order ORD-5512 exchanged and will return it by Friday.',
};

/** A server that knows what it is asked. */
function capable(request: SeenRequest): Behaviour {
  const user = request.body.messages?.at(-1)?.content ?? '';
  if (typeof (request.body as { temperature?: unknown }).temperature === 'string')
    return { kind: 'status', status: 400, text: '{"error":{"message":"temperature: expected number"}}' };
  if (user.length > 100_000)
    return { kind: 'status', status: 400, text: '{"error":{"message":"context length"}}' };
  if (asksForFacts(request)) return { kind: 'answer', text: '{"facts":[]}' };
  if (!user.includes('<conversation>'))
    return { kind: 'answer', text: 'one two three four five six seven eight', heedsLimit: true };
  const language = /[ыэ]/u.test(user) ? 'ru' : /[іїє]/u.test(user) ? 'uk' : 'en';
  return { kind: 'answer', text: SUMMARIES[language] as string };
}

const probe = async (protocol: 'openai' | 'anthropic') => {
  const endpoint = { protocol, baseUrl: server.baseUrl, model: 'm', timeoutMs: 5000 };
  const found = await probeModel(endpoint, { tooLong: 40_000 }, new AbortController().signal);
  return { ...found, is: Object.fromEntries(found.findings.map(({ what, result }) => [what, result])) };
};

describe('probing a model', () => {
  it('finds what a good endpoint can do, in either protocol', async () => {
    server = await startLoopbackServer({ fallback: capable });
    for (const protocol of ['openai', 'anthropic'] as const) {
      const { is, rung, summary, facts } = await probe(protocol);
      expect(rung).toBe('json_schema');
      expect(is).toMatchObject({
        answers: 'yes',
        'says its usage': 'yes',
        'heeds max_tokens': 'yes',
        'refuses a bad parameter': 'yes',
        'answers two at once': 'yes',
        'summarizes in en': 'yes',
        'summarizes in ru': 'yes',
        'summarizes in uk': 'yes',
      });
      expect(summary).toMatchObject({ text: SUMMARIES['en'] });
      expect(facts).toMatchObject({ facts: [] });
    }
  });

  it('finds what a llama.cpp server cannot do', async () => {
    server = await startLoopbackServer({
      profile: 'llama.cpp',
      fallback: (request) => {
        const answer = capable(request);
        return request.body.stream === true && answer.kind === 'answer'
          ? { ...answer, delayMs: 200 }
          : answer;
      },
    });
    const { is, rung } = await probe('openai');
    expect(rung).toBe('json_object');
    expect(is).toMatchObject({
      'structured output by json_schema': 'no',
      'structured output by json_object': 'yes',
      'heeds max_tokens': 'yes',
      'heeds max_completion_tokens': 'no',
      'says its usage when streaming': 'no',
      'answers two at once': 'no',
    });
  });

  it('says what is wrong where nothing answers', async () => {
    server = await startLoopbackServer({ fallback: { kind: 'status', status: 401, text: 'no such key' } });
    const { is, rung, summary } = await probe('openai');
    expect(is['answers']).toBe('no');
    expect(rung).toBeNull();
    expect(summary).toMatchObject({ error: expect.stringContaining('401') });
  });
});
