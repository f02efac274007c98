import { randomUUID } from 'node:crypto';
import type { StepEvent } from '@palimpsest/events';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished, taskStarted } from '../test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../test/temporary-ledger.js';

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
});
afterAll(async () => {
  await one.drop();
});

describe('cost per completed task', () => {
  it('is given in both forms, with failures, maintenance and corrections (worked example)', async () => {
    const tenant = randomUUID();
    const dollars = (amount: number, changes: Partial<StepEvent>): StepEvent =>
      stepEvent({
        tenant,
        agent: 'support',
        strategy: 's@1',
        ...changes,
        usage: { input: amount * 400_000, output: 0 },
      });
    await one.insertTasks(['A', 'B', 'C', 'D'].map((task_id) => taskStarted({ tenant, task_id })));
    await one.insertTasks([
      taskFinished({ tenant, task_id: 'A' }),
      taskFinished({ tenant, task_id: 'B', outcome: 'failed' }),
      taskFinished({ tenant, task_id: 'C', outcome: 'failed', occurred_at: Date.UTC(2026, 0, 15, 13) }),
    ]);
    await one.insertSteps([
      dollars(1, { task_id: 'A' }),
      dollars(2, { task_id: 'A', purpose: 'summary', strategy: 's@1', provider: 'openai' }),
      dollars(4, { task_id: 'B' }),
      dollars(8, { task_id: 'C' }),
      dollars(16, { task_id: 'D' }),
      dollars(32, { task_id: '', purpose: 'facts', agent: 'support' }),
    ]);
    const report = `select agent, strategy, toString(day) as day, tasks, completed, steps, spend, completed_spend,
      mean_cost_of_completed as mean, spend_per_completed as per, at_least from cost_per_completed_task`;
    const row = {
      agent: 'support',
      strategy: 's@1',
      day: '2026-01-15',
      tasks: 4,
      steps: 6,
      spend: '63',
      at_least: false,
    };
    expect(await one.rows(report, { tenant })).toEqual([
      { ...row, completed: 1, completed_spend: '3', mean: '3', per: '63' },
    ]);

    // C is corrected; the correction that is older than the last word does not count, in whatever order they come.
    await one.insertTasks([
      taskFinished({ tenant, task_id: 'C', outcome: 'completed', occurred_at: Date.UTC(2026, 0, 15, 14) }),
      taskFinished({ tenant, task_id: 'C', outcome: 'abandoned', occurred_at: Date.UTC(2026, 0, 15, 12) }),
    ]);
    expect(await one.rows(report, { tenant })).toEqual([
      { ...row, completed: 2, completed_spend: '11', mean: '5.5', per: '31.5' },
    ]);
  });

  it('has no mean where nothing was completed, and shows a task without steps', async () => {
    const tenant = randomUUID();
    await one.insertTasks([taskStarted({ tenant, task_id: 'lonely', agent: 'a' })]);
    expect(
      await one.rows(
        'select tasks, completed, spend, mean_cost_of_completed as mean, spend_per_completed as per from cost_per_completed_task',
        { tenant },
      ),
    ).toEqual([{ tasks: 1, completed: 0, spend: '0', mean: null, per: null }]);
  });

  it('equals the sum over distinct answers for random steps, tasks and batches', async () => {
    const step = fc.record({
      task: fc.constantFrom('', 'A', 'B', 'C'),
      strategy: fc.constantFrom(null, 's@1', 's@2'),
      agent: fc.constantFrom(null, 'x', 'y'),
      request: fc.constantFrom('', 'R1', 'R2', 'R3'),
      purpose: fc.constantFrom('answer' as const, 'summary' as const),
      input: fc.integer({ min: 0, max: 1_000_000 }),
      final: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, size) => {
          const tenant = randomUUID();
          const events = steps.map((s, i) =>
            stepEvent({
              tenant,
              event_id: `e${i}`,
              task_id: s.task,
              strategy: s.strategy,
              agent: s.agent,
              request_id: s.request,
              purpose: s.purpose,
              final: s.final,
              usage: { input: s.input, output: 0 },
            }),
          );
          for (let i = 0; i < events.length; i += size) await one.insertSteps(events.slice(i, i + size));
          await one.insertTasks([taskFinished({ tenant, task_id: 'A' })]);
          const best = new Map<string, { final: boolean; input: number }>();
          for (const [i, s] of steps.entries()) {
            const key = s.request || `e${i}`;
            const old = best.get(key);
            if (old === undefined || Number(s.final) * 2e6 + s.input >= Number(old.final) * 2e6 + old.input)
              best.set(key, s);
          }
          // 2.5 dollars per million tokens = 2,500 nanodollars per token, exact in a double here.
          const expected = [...best.values()].reduce((sum, s) => sum + s.input * 2500, 0);
          const [row] = await one.rows(
            'select toInt64(sum(spend) * 1000000000) as nano, sum(steps) as steps, sum(tasks) as tasks, sum(completed) as completed from cost_per_completed_task',
            { tenant },
          );
          expect(row).toMatchObject({ nano: expected, steps: best.size, completed: 1 });
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('run_summary and cache_hit_ratio', () => {
  it('add up a run and its cache (worked example)', async () => {
    const tenant = randomUUID();
    await one.insertTasks([taskFinished({ tenant, task_id: 'T', outcome: 'handed_over' })]);
    await one.insertSteps([
      stepEvent({
        tenant,
        task_id: 'T',
        run_id: 'r1',
        context_tokens: 900,
        usage: { input: 1000, output: 10, cache_read: 600 },
      }),
      stepEvent({
        tenant,
        task_id: 'T',
        run_id: 'r1',
        context_tokens: 1200,
        usage: { input: 1400, output: 20, cache_read: 1200 },
      }),
    ]);
    expect(
      await one.rows(
        'select run, outcome, steps, input_tokens, output_tokens, peak_context_tokens as peak, cost from run_summary',
        { tenant },
      ),
    ).toEqual([
      {
        run: 'r1',
        outcome: 'handed_over',
        steps: 2,
        input_tokens: 2400,
        output_tokens: 30,
        peak: 1200,
        cost: '0.00405',
      },
    ]);
    expect(await one.rows('select model, hit_ratio from cache_hit_ratio', { tenant })).toEqual([
      { model: 'gpt-4o', hit_ratio: 0.75 },
    ]);
  });
});

describe('the schema', () => {
  it('explains every column of the reports that is not plain by its name', async () => {
    const rows = await one.rows(
      `select table, countIf(comment != '') as explained, count() as columns from system.columns
       where database = 'palimpsest' and table in ('cost_per_completed_task', 'run_summary', 'cache_hit_ratio', 'steps', 'tasks', 'prices')
       group by table`,
    );
    expect(rows).toHaveLength(6);
    for (const row of rows) expect(Number(row['explained']), String(row['table'])).toBeGreaterThan(0);
  });
});
