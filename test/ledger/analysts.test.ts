import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { StepEvent } from '@palimpsest/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished } from '../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../packages/ledger/test/temporary-ledger.js';
import { ROOT } from '../harness/command-line.js';

const text = readFileSync(path.join(ROOT, 'docs/analysts.md'), 'utf8');
const questions = [...text.matchAll(/^### (\d+\. .+)\n```sql\n([\s\S]+?)```/gm)].map(
  ([, title, sql]): [string, string] => [title as string, sql as string],
);

/** A million uncached input tokens of gpt-4o cost 2.5 USD. */
const dollars = (amount: number): { input: number; output: number } => ({
  input: amount * 400_000,
  output: 0,
});
const DAY = 86_400_000;
const tenant = 't';
const step = (changes: Partial<Omit<StepEvent, 'usage'>> & { usage?: Partial<StepEvent['usage']> }) =>
  stepEvent({ tenant, agent: 'support', strategy: 's@1', ...changes });

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
  const monday = Date.UTC(2026, 0, 5, 12);
  await one.insertSteps([
    ...Array.from({ length: 10 }, (_, i) => step({ task_id: `task-${i}`, usage: dollars(1) })),
    // Peaks of 1,000 and 3,000 tokens in the first week, of 2,400 in the second: 20% up.
    step({
      task_id: 'w1',
      run_id: 'a',
      agent: 'peaks',
      occurred_at: monday,
      context_tokens: 800,
      usage: dollars(0),
    }),
    step({
      task_id: 'w1',
      run_id: 'a',
      agent: 'peaks',
      occurred_at: monday,
      context_tokens: 1000,
      usage: dollars(0),
    }),
    step({
      task_id: 'w1',
      run_id: 'b',
      agent: 'peaks',
      occurred_at: monday,
      context_tokens: 3000,
      usage: dollars(0),
    }),
    step({
      task_id: 'w2',
      agent: 'peaks',
      occurred_at: monday + 7 * DAY,
      context_tokens: 2400,
      usage: dollars(0),
    }),
    step({
      task_id: 'w4',
      agent: 'peaks',
      occurred_at: monday + 21 * DAY,
      context_tokens: 2400,
      usage: dollars(0),
    }),
    step({ task_id: 'x', agent: 'tools', tool_name: 'search', tool_result_bytes: 100, usage: dollars(0) }),
    step({ task_id: 'x', agent: 'tools', tool_name: 'search', tool_result_bytes: 500, usage: dollars(0) }),
    step({ task_id: 'x', agent: 'tools', tool_name: 'read', tool_result_bytes: 0, usage: dollars(3) }),
    step({ task_id: 'x', agent: 'tools', purpose: 'facts', usage: dollars(1), model: 'gpt-4o' }),
    step({ task_id: 'y', agent: 'unpriced', model: 'nobody-knows', usage: { input: 5, output: 1 } }),
  ]);
  await one.insertTasks(
    Array.from({ length: 10 }, (_, i) =>
      taskFinished({ tenant, task_id: `task-${i}`, outcome: i < 8 ? 'completed' : 'failed' }),
    ),
  );
});
afterAll(() => one.drop());

describe('docs/analysts.md', () => {
  it('asks fifteen questions', () => {
    expect(questions).toHaveLength(15);
  });

  it.each(questions)('%s', async (_, sql) => {
    const rows = await one.rows(sql, { tenant });
    // Of the last two weeks and of repricings there are none here; the queries must run.
    if (!/today\(\)|repricings|latency_ms|usage_flag/.test(sql)) expect(rows.length).toBeGreaterThan(0);
    expect(await one.rows(sql, { tenant: 'nobody' })).toEqual([]);
  });

  it('names every view there is for analysts', async () => {
    const views = await one.rows(
      "select name from system.tables where database = 'palimpsest' and engine = 'View' and not startsWith(name, 'rollup_')",
    );
    for (const { name } of views) expect(text).toContain(`\`${String(name)}\``);
  });
});

describe('the worked examples', () => {
  it('cost per completed task in both forms', async () => {
    const sql = `select tasks, completed, spend, mean_cost_of_completed as mean, spend_per_completed as per
      from cost_per_completed_task where agent = 'support'`;
    const row = { tasks: 10, completed: 8, spend: '10', mean: '1', per: '1.25' };
    expect(await one.rows(sql, { tenant })).toEqual([row]);
    expect(await one.rows(sql.replace('task where', 'task_raw where'), { tenant })).toEqual([row]);
  });

  it('peak context and its weekly drift', async () => {
    expect(
      await one.rows(
        "select toString(week) as week, runs, mean_peak_tokens as mean, max_peak_tokens as max, round(drift, 6) as drift from peak_context where agent = 'peaks' order by week",
        { tenant },
      ),
    ).toEqual([
      { week: '2026-01-05', runs: 2, mean: 2000, max: 3000, drift: null },
      { week: '2026-01-12', runs: 1, mean: 2400, max: 2400, drift: 0.2 },
      { week: '2026-01-26', runs: 1, mean: 2400, max: 2400, drift: null },
    ]);
  });

  it('bytes of tool results', async () => {
    expect(
      await one.rows(
        'select tool_name, results, bytes, mean_bytes, max_bytes from tool_bytes order by tool_name',
        { tenant },
      ),
    ).toEqual([
      { tool_name: 'read', results: 1, bytes: 0, mean_bytes: 0, max_bytes: 0 },
      { tool_name: 'search', results: 2, bytes: 600, mean_bytes: 300, max_bytes: 500 },
    ]);
  });

  it('share of maintenance', async () => {
    const sql = `select steps, maintenance_steps, spend, maintenance_spend, share, at_least from maintenance_share`;
    expect(await one.rows(`${sql} where agent = 'tools'`, { tenant })).toEqual([
      { steps: 4, maintenance_steps: 1, spend: '4', maintenance_spend: '1', share: 0.25, at_least: false },
    ]);
    expect(await one.rows(`${sql} where agent = 'unpriced'`, { tenant })).toMatchObject([
      { share: null, at_least: true },
    ]);
  });

  it('explains every column of the new reports that is not plain by its name', async () => {
    const rows = await one.rows(
      `select table, countIf(comment != '') as explained from system.columns where database = 'palimpsest'
         and table in ('peak_context', 'tool_bytes', 'maintenance_share', 'repricings') group by table`,
    );
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(Number(row['explained'])).toBeGreaterThan(2);
  });
});
