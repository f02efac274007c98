import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldInBatches } from '../../../../test/harness/fold-in-batches.js';
import { contextOf, foldEvents, strategyOf } from '../../../../test/harness/fold-in-memory.js';
import { History } from '../../../../test/harness/histories.js';
import { freshDatabase } from '../../../../test/harness/postgres.js';
import { createLiveStrategies } from '../live-strategies.js';
import { createContextReader } from './context-reader.js';

const yaml = (inline: number): string => `name: s\nwindow: { inline_tokens: ${inline} }\n`;
const strategy = strategyOf(yaml(500));
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, { ...strategy, name: 's' });
});
afterAll(() => database.drop());

function longTalk(conversation: string, model: string | null = null): History {
  const history = new History(conversation);
  history.message('system', 'You help.');
  if (model !== null) history.settings(model);
  for (let turn = 0; turn < 150; turn += 1) {
    for (const call of ['a', 'b']) history.call(call, 'search', `{"n":${turn}}`, `step-${turn % 3}`);
    for (const call of ['a', 'b']) history.result(call, `${call} ${turn} ${'word '.repeat(turn % 40)}`);
    if (turn % 25 === 0) history.message('user', `question ${turn}`);
  }
  return history;
}

describe('the context reader', () => {
  it.each([600, 3000, 9000, 100_000])(
    'reads what the row does not hold: the context is that of a row that holds all (budget %i)',
    async (budget) => {
      const conversation = `long-${budget}`;
      const { events } = longTalk(conversation);
      await foldInBatches(pool, strategy, events, [100, 101, 320]);
      const reader = createContextReader({ pool, strategies: createLiveStrategies(pool), now: () => 0 });
      const answer = await reader.read({ tenant: 'acme', conversation, budget, format: 'openai' });
      const large = strategyOf(yaml(100_000));
      const expected = contextOf(foldEvents(events, large), large, budget);
      expect(answer).toMatchObject({
        body: {
          messages: expected.messages,
          tokens: { total: expected.tokens.total, by_slot: expected.tokens.slots },
          stable_prefix_tokens: expected.stablePrefixTokens,
          left_out: expected.leftOut,
        },
      });
    },
  );

  it('begins its tail at the same event turn after turn, for a model that counts otherwise as well', async () => {
    const { events } = longTalk('claude', 'claude-sonnet-4-5');
    const reader = createContextReader({ pool, strategies: createLiveStrategies(pool), now: () => 0 });
    const starts = new Set<string>();
    for (let turns = 500; turns <= 520; turns += 4) {
      const conversation = `claude-${turns}`;
      await foldInBatches(
        pool,
        strategy,
        events.slice(0, turns).map((event) => ({ ...event, conversation_id: conversation })),
      );
      const answer = await reader.read({ tenant: 'acme', conversation, budget: 9000, format: 'openai' });
      const messages = 'body' in answer ? (answer.body as { messages: unknown[] }).messages : [];
      starts.add(JSON.stringify(messages.slice(0, 8)));
    }
    expect(starts.size).toBeLessThanOrEqual(2);
  });
});
