import { aiSdkViolations, anthropicViolations, openAiViolations } from '@palimpsest/strategy/testing';
import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldInBatches } from '../../../../test/harness/fold-in-batches.js';
import { strategyOf } from '../../../../test/harness/fold-in-memory.js';
import { History } from '../../../../test/harness/histories.js';
import { freshDatabase } from '../../../../test/harness/postgres.js';
import { type ContextFormat, CONTEXT_FORMATS } from '../context-reader.js';
import { createLiveStrategies } from '../live-strategies.js';
import { createContextReader } from './context-reader.js';

const strategy = strategyOf('name: s\n');
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, { ...strategy, name: 's' });
});
afterAll(() => database.drop());

async function fold(history: History): Promise<void> {
  await foldInBatches(pool, strategy, history.events);
}

interface Body {
  messages: { role: string; content: unknown }[];
  tokens: { total: number; by_slot: Record<string, number> };
  [field: string]: unknown;
}

async function read(conversation: string, format: ContextFormat, budget = 8000) {
  const reader = createContextReader({ pool, strategies: createLiveStrategies(pool), now: () => 0 });
  const answer = await reader.read({ tenant: 'acme', conversation, budget, format });
  if (!('body' in answer)) throw new Error(`no context: ${JSON.stringify(answer)}`);
  return { body: answer.body as Body, content: answer.content };
}

/** Begins with words of the assistant, as a conversation does that a greeting opens. */
function greeting(conversation: string, turns: number): History {
  const history = new History(conversation);
  history.message('system', 'Be kind.');
  history.message('assistant', 'Вітаю! Чим допомогти?');
  for (let turn = 0; turn < turns; turn += 1) {
    history.call('c', 'look', `{"n":${turn}}`);
    history.result('c', `result ${turn} ${'слово '.repeat(40)}`);
  }
  return history;
}

describe('the formats of a context', () => {
  it('hold the same account, and each is valid for whom it is made', async () => {
    await fold(greeting('same', 3));
    const bodies = await Promise.all(CONTEXT_FORMATS.map((format) => read('same', format)));
    const [openai, anthropic, aiSdk, text] = bodies.map(({ body }) => body);
    expect(openAiViolations(openai?.messages as never)).toEqual([]);
    expect(anthropicViolations(anthropic as never)).toEqual([]);
    expect(aiSdkViolations(aiSdk?.messages as never)).toEqual([]);
    expect(text?.['text']).toContain('### assistant\nВітаю!');
    for (const { body } of bodies) {
      const slots = Object.values(body.tokens.by_slot).reduce((sum, tokens) => sum + tokens, 0);
      expect(slots).toBe(body.tokens.total);
      expect(body['left_out']).toEqual(openai?.['left_out']);
    }
    expect(new Set(bodies.map(({ content }) => content)).size).toBe(CONTEXT_FORMATS.length);
  });

  it('keep the budget of Anthropic where the opening has to be added', async () => {
    await fold(greeting('opened', 30));
    for (let budget = 400; budget < 460; budget += 1) {
      const { body } = await read('opened', 'anthropic', budget);
      expect(body.messages[0]?.role).toBe('user');
      expect(body.tokens.total).toBeLessThanOrEqual(budget);
      expect(anthropicViolations(body as never)).toEqual([]);
    }
  });

  it('mark for Anthropic the end of what the context before began with', async () => {
    const history = greeting('marked', 2);
    history.message('user', 'one more thing');
    await fold(history);
    const { body } = await read('marked', 'anthropic');
    const blocks = body.messages.flatMap(({ content }) => content as { cache_control?: object }[]);
    expect(blocks.filter((block) => block.cache_control !== undefined)).toEqual([
      expect.objectContaining({ type: 'tool_result' }),
      expect.objectContaining({ type: 'text', text: 'one more thing' }),
    ]);
  });

  it('give OpenAI one cache key per conversation, which tells neither tenant nor conversation', async () => {
    const history = greeting('keyed', 1);
    await fold(history);
    await fold(greeting('other', 1));
    const keys = [];
    for (const conversation of ['keyed', 'keyed', 'other']) {
      keys.push((await read(conversation, 'openai')).body['prompt_cache_key']);
    }
    expect(keys[0]).toMatch(/^[\w-]{43}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});
