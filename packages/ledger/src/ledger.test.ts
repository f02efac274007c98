import { randomUUID } from 'node:crypto';
import type { StepEvent } from '@palimpsest/events';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished } from '../test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../test/temporary-ledger.js';

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
});
afterAll(async () => {
  await one.drop();
});

const totals = async (tenant: string): Promise<Record<string, unknown> | undefined> =>
  (
    await one.rows(
      'select count() as n, sum(input_uncached) as input, sum(output) as output, sum(cost) as cost from steps',
      { tenant },
    )
  )[0];

const report = (
  event_id: string,
  answer_id: string,
  request_id: string,
  input: number,
  output: number,
  final: boolean,
) => stepEvent({ event_id, answer_id, request_id, final, usage: { input, output } });

describe('the ledger', () => {
  it('keeps a step as it was, to the last column and character', async () => {
    const nasty = 'a;b\'\\"\n-- \u0000 ї😀 FORMAT JSON;\n\nselect 1';
    const event = stepEvent({
      tenant: nasty,
      conversation_id: nasty,
      task_id: nasty,
      run_id: 'r',
      agent: nasty,
      strategy: 's@1',
      generation: 3,
      step_index: 7,
      model: 'gpt-4o',
      tool_name: nasty,
      tool_result_bytes: Number.MAX_SAFE_INTEGER,
      state_bytes: 0,
      latency_ms: 12,
      ttft_ms: 3,
      context_tokens: 100,
      stable_prefix_tokens: 60,
      occurred_at: 1_768_478_400_123,
      usage: { input: 1000, output: 20, cache_read: 400, reasoning: 5 },
    });
    await one.insertSteps([event]);
    expect(await one.rows('select * from steps', { tenant: nasty })).toEqual([
      {
        tenant: nasty,
        conversation: nasty,
        answer_key: `event:${event.event_id}`,
        event_id: event.event_id,
        task: nasty,
        run: 'r',
        agent: nasty,
        strategy: 's@1',
        generation: 3,
        step_index: 7,
        purpose: 'answer',
        final: true,
        provider: 'openai',
        model: 'gpt-4o',
        model_resolved: '',
        tool_name: nasty,
        tool_result_bytes: Number.MAX_SAFE_INTEGER,
        state_bytes: 0,
        reported_input: 1000,
        reported_output: 20,
        input_uncached: 600,
        cache_read: 400,
        cache_write_5m: 0,
        cache_write_1h: 0,
        output: 20,
        reasoning: 5,
        latency_ms: 12,
        ttft_ms: 3,
        context_tokens: 100,
        stable_prefix_tokens: 60,
        usage_semantics: 'input_includes_cache',
        usage_flag: '',
        price_id: 'openai/gpt-4o@2024-10-02',
        cost: '0.0022',
        occurred_at: '2026-01-15 12:00:00.123',
      },
    ]);
  });

  it('counts one answer once whatever the order and batches of its reports (case 15)', async () => {
    const reports = [
      report('m1', 'A', 'R', 10, 3, false),
      report('m2', 'A', 'R', 10, 3, false),
      report('m3', 'A', 'R', 10, 159, true),
      report('m4', 'B', '', 7, 2, true),
      report('m5', 'B', '', 7, 2, true),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 0, 3], { minLength: 7 }),
        fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
        async (order, cuts) => {
          const tenant = randomUUID();
          let batch: StepEvent[] = [];
          for (const [i, index] of order.entries()) {
            batch.push({ ...reports[index]!, tenant });
            if (!cuts[i] && i < order.length - 1) continue;
            await one.insertSteps(batch);
            batch = [];
          }
          expect(await totals(tenant)).toMatchObject({ n: 2, input: 17, output: 161 });
          const winners = await one.rows('select event_id from steps order by answer_key desc', { tenant });
          // m4 and m5 differ only in their id: by the hash of it m5 must win every time.
          expect(winners.map((row) => row['event_id'])).toEqual(['m3', 'm5']);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('does not count a redelivery in another batch, before and after a merge (case 19)', async () => {
    const tenant = randomUUID();
    const half = stepEvent({ tenant, usage: { input: 200_000, output: 0 } });
    const quarter = stepEvent({ tenant, usage: { input: 100_000, output: 0 } });
    await one.insertSteps([half]);
    await one.insertSteps([half, quarter]);
    const expected = [{ spend: '0.75', steps: 2 }];
    const sql = 'select spend, steps from cost_per_completed_task';
    expect(await one.rows(sql, { tenant })).toEqual(expected);
    await one.reopen();
    await one.insertSteps([half, quarter]);
    expect(await one.rows(sql, { tenant })).toEqual(expected);
    expect(await one.rows('select cost as spend from run_summary', { tenant })).toEqual([{ spend: '0.75' }]);
    expect(await one.rows('select steps from cache_hit_ratio', { tenant })).toEqual([{ steps: 2 }]);
  });

  it('drops a block sent again with its token, also after a restart', async () => {
    const tenant = randomUUID();
    const token = `agent.steps/0/5/9-${randomUUID()}`;
    const raw = 'select count() as n from step_rows';
    await one.insertSteps([stepEvent({ tenant })], token);
    // Another event under the same token: only the token can have dropped it.
    await one.insertSteps([stepEvent({ tenant })], token);
    await one.reopen();
    await one.insertSteps([stepEvent({ tenant })], token);
    expect(await one.rows(raw, { tenant })).toEqual([{ n: 1 }]);
    await one.insertSteps([stepEvent({ tenant })], `${token}0`);
    expect(await one.rows(raw, { tenant })).toEqual([{ n: 2 }]);
  });

  it('counts two equal steps of two events both', async () => {
    const tenant = randomUUID();
    await one.insertSteps([stepEvent({ tenant }), stepEvent({ tenant })]);
    expect(await totals(tenant)).toMatchObject({ n: 2, input: 2, output: 2 });
  });

  it('leaves the cost of an unknown model NULL and says "at least"', async () => {
    const tenant = randomUUID();
    await one.insertTasks([taskFinished({ tenant, task_id: 'T' })]);
    await one.insertSteps([
      stepEvent({ tenant, task_id: 'T', usage: { input: 1_000_000, output: 0 } }),
      stepEvent({ tenant, task_id: 'T', model: 'gpt-4o-mystery' }),
    ]);
    expect(
      await one.rows('select spend, unpriced_steps, at_least from cost_per_completed_task', { tenant }),
    ).toEqual([{ spend: '2.5', unpriced_steps: 1, at_least: true }]);
  });
});
