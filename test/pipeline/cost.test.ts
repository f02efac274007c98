import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { TOPICS } from '@palimpsest/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, runStack } from '../harness/running-stack.js';

let stack: RunningStack;
beforeAll(async () => {
  stack = await runStack();
});
afterAll(() => stack.close());

/** A step as agents report it; `claude-sonnet-4-5` costs 3 in, 15 out, 3.75 cache write, 0.3 cache read per million. */
function step(conversation: string, more: object): Record<string, unknown> {
  return {
    type: 'step',
    event_id: randomUUID(),
    conversation_id: conversation,
    task_id: `task of ${conversation}`,
    step_index: 0,
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    occurred_at: '2026-11-30T12:00:00Z',
    usage: { input: 10, output: 3 },
    ...more,
  };
}

interface Sums {
  steps: string;
  input: string;
  output: string;
  cost: string;
}

/** What every report says of one conversation: the steps, the task and the API must agree. */
async function sums(conversation: string): Promise<Sums> {
  const [of] = await stack.bill<Sums>(
    `select toString(count()) as steps, toString(sum(input_uncached + cache_read + cache_write_5m + cache_write_1h)) as input,
            toString(sum(s.output)) as output, toString(sum(s.cost)) as cost
       from steps as s where conversation = '${conversation}'`,
  );
  const task = (await stack.ask(`/v1/tasks/${encodeURIComponent(`task of ${conversation}`)}`)).body;
  expect(Number(task.cost)).toBe(Number(of?.cost));
  expect(String(task.steps)).toBe(of?.steps);
  return of as Sums;
}

describe('the cost of a call (case 14)', () => {
  it('does not pay twice for cached tokens that the input includes', async () => {
    await stack.accept([
      step('S26', {
        usage_semantics: 'input_includes_cache',
        usage: { input: 1200, output: 100, cache_write_5m: 200, cache_read: 700 },
      }),
    ]);
    await stack.settled();
    expect(Number((await sums('S26')).cost)).toBe(0.00336);
    const [row] = await stack.bill(`select input_uncached from steps where conversation = 'S26'`);
    expect(Number(row?.['input_uncached'])).toBe(300);
  });

  it('does not add reasoning tokens to the output that holds them', async () => {
    await stack.accept([
      step('S26r', { usage: { input: 0, output: 100, reasoning: 80 } }),
      step('S26o', { usage: { input: 0, output: 100 } }),
    ]);
    await stack.settled();
    expect(Number((await sums('S26r')).cost)).toBe(0.0015);
    expect((await sums('S26r')).cost).toBe((await sums('S26o')).cost);
  });

  it('leaves an unknown price open in place of making up a zero', async () => {
    await stack.accept([step('S26u', { model: 'a-model-nobody-has-priced' })]);
    await stack.settled();
    const { body } = await stack.ask(`/v1/tasks/${encodeURIComponent('task of S26u')}`);
    expect(body).toMatchObject({ at_least: true });
    expect(Number(body.unpriced_steps)).toBe(1);
    expect(body.step_list[0].cost).toBeNull();
  });
});

describe('several usage lines for one answer (case 15)', () => {
  const partial = { usage: { input: 10, output: 3 }, final: false };
  const lines = (conversation: string): Record<string, unknown>[] => [
    step(conversation, { ...partial, answer_id: `A-${conversation}`, request_id: `R-${conversation}` }),
    step(conversation, { ...partial, answer_id: `A-${conversation}`, request_id: `R-${conversation}` }),
    step(conversation, {
      usage: { input: 10, output: 159 },
      final: true,
      answer_id: `A-${conversation}`,
      request_id: `R-${conversation}`,
    }),
    step(conversation, {
      usage: { input: 7, output: 2 },
      final: true,
      answer_id: `B-${conversation}`,
      request_id: '',
    }),
    step(conversation, {
      usage: { input: 7, output: 2 },
      final: true,
      answer_id: `B-${conversation}`,
      request_id: '',
    }),
  ];

  it('counts each answer once, by its last and greatest report, in any order of arrival', async () => {
    const orders = [
      [0, 1, 2, 3, 4],
      [2, 1, 0, 4, 3],
      [4, 2, 0, 3, 1],
      [1, 3, 2, 4, 0],
    ];
    for (const [n, order] of orders.entries()) {
      const all = lines(`S27-${n}`);
      const inOrder = order.map((at) => all[at] as object);
      // In one request, one by one, and in two halves that settle apart: blocks of the ledger differ.
      if (n % 2 === 0) await stack.accept(inOrder);
      else for (const one of inOrder) await stack.accept([one]);
      if (n === 3) await stack.settled();
      await stack.accept(inOrder);
    }
    await stack.settled();
    for (const n of orders.keys()) {
      const { input, output, steps } = await sums(`S27-${n}`);
      expect({ input, output, steps }, `order ${n}`).toEqual({ input: '17', output: '161', steps: '2' });
    }
  });
});

async function reports(): Promise<{ steps: number; task: number; completed: number; api: unknown }> {
  const number = async (sql: string): Promise<number> => Number((await stack.bill(sql))[0]?.['usd']);
  return {
    steps: await number(`select sum(cost) as usd from steps where conversation = 'S35'`),
    task: await number(`select sum(cost) as usd from task_cost where task = 'task of S35'`),
    completed: await number('select sum(spend) as usd from cost_per_completed_task'),
    api: (await stack.ask('/v1/costs?group_by=agent,strategy,day')).body,
  };
}

/** The ledger itself can only be read: when rows are merged is decided past it, on a connection of its own. */
async function command(...statements: string[]): Promise<void> {
  const connection = createChdbConnection({ path: path.join(stack.folder, 'clickhouse') }) as unknown;
  const client = createClient({ connection } as Parameters<typeof createClient>[0]);
  for (const query of statements) await client.command({ query });
  await client.close();
}

describe('sums over retries (case 19)', () => {
  it('are the same before and after merges, however a step comes again', async () => {
    // 0.5 and 0.25 USD, at 10 USD per million output tokens.
    const priced = { provider: 'openai', model: 'gpt-4o' };
    const m1 = step('S35', { ...priced, usage: { input: 0, output: 50_000 } });
    const m2 = step('S35', { ...priced, usage: { input: 0, output: 25_000 } });
    await command('system stop merges palimpsest.step_rows');
    await stack.accept([m1]);
    await stack.settled();
    // Through the API it is known already; straight in the log it comes again, in another batch.
    expect((await stack.accept([m1, m2])).body).toMatchObject({ accepted: 1, duplicates: 1 });
    const records = await stack.recordsOf(TOPICS.steps);
    const again = records.filter((record) => record.headers['event-id'] === m1['event_id']);
    expect(again).toHaveLength(1);
    for (const { key, value, headers } of again)
      await stack.log.append(TOPICS.steps, [{ key, value, headers }]);
    await stack.settled();

    const before = await reports();
    expect(before.steps).toBe(0.75);
    expect(before.task).toBe(0.75);
    const [raw] = await stack.bill(`select count() as n from step_rows where conversation = 'S35'`);
    await command('system start merges palimpsest.step_rows', 'optimize table palimpsest.step_rows final');
    const [merged] = await stack.bill(`select count() as n from step_rows where conversation = 'S35'`);
    expect(Number(raw?.['n'])).toBe(3);
    expect(Number(merged?.['n'])).toBe(2);
    expect(await reports()).toEqual(before);
  });
});
