import { TOPICS } from '@palimpsest/events';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished, taskStarted } from '../../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../../packages/ledger/test/temporary-ledger.js';
import { SinkWorld } from '../test/sink-world.js';

let store: TemporaryLedger;
let world: SinkWorld;
beforeAll(async () => {
  store = await temporaryLedger();
});
afterAll(async () => {
  await store.drop();
});
beforeEach(async () => {
  world = await SinkWorld.open(store);
});
afterEach(async () => {
  await world.close();
});

const report = (
  event_id: string,
  answer_id: string,
  request_id: string,
  input: number,
  output: number,
  final: boolean,
) => stepEvent({ event_id, answer_id, request_id, final, usage: { input, output } });

describe('the metrics sink', () => {
  it('carries steps and tasks into cost per completed task', async () => {
    await world.append([
      taskStarted({ tenant: world.tenant }),
      stepEvent({ tenant: world.tenant, usage: { input: 1_000_000, output: 0 } }),
      stepEvent({ tenant: world.tenant, purpose: 'summary', usage: { input: 200_000, output: 0 } }),
      taskFinished({ tenant: world.tenant, outcome: 'failed' }),
      taskFinished({ tenant: world.tenant, outcome: 'completed' }),
    ]);
    expect(await world.drain()).toBe('drained');
    expect(
      await store.rows(
        'select completed, spend, mean_cost_of_completed as mean from cost_per_completed_task',
        { tenant: world.tenant },
      ),
    ).toEqual([{ completed: 1, spend: '3', mean: '3' }]);
  });

  it('sends what is bad to the dead letters and counts the rest (case 18)', async () => {
    const bad = stepEvent({ tenant: world.tenant, usage: { input: 'many' as never, output: -5 } });
    await world.append([
      ...world.steps(4),
      bad,
      stepEvent({ tenant: world.tenant, usage: { input: Number.NaN, output: 1 } }),
    ]);
    await world.log.append(TOPICS.steps, [
      { key: 'k', value: Buffer.from('this is not json {{{') },
      { key: 'k', value: Buffer.alloc(0) },
      { key: 'k', value: null },
      {
        key: 'k',
        value: Buffer.from(JSON.stringify(taskStarted({ tenant: world.tenant }))),
        headers: { size: 'junk' },
      },
    ]);
    expect(await world.drain()).toBe('drained');
    await world.expectTotals(4);
    const letters = await world.deadLetters();
    expect(letters.map((letter) => letter.headers['dl-class']).toSorted()).toEqual([
      'decode',
      'decode',
      'usage',
      'usage',
      'wrong-topic',
    ]);
    const reasons = letters.map((letter) => letter.headers['dl-error']).join('\n');
    expect(reasons).toContain('usage.input is "many"');
  });

  it('gives the same totals for every order of reports (case 15)', async () => {
    const reports = [
      report('m1', 'A', 'R', 10, 3, false),
      report('m2', 'A', 'R', 10, 3, false),
      report('m3', 'A', 'R', 10, 159, true),
      report('m4', 'B', '', 7, 2, true),
      report('m5', 'B', '', 7, 2, true),
    ];
    const orders = fc.sample(fc.shuffledSubarray(reports, { minLength: 5 }), { numRuns: 6, seed: 15 });
    for (const [i, order] of orders.entries()) {
      const conversation_id = `conversation-${i}`;
      await world.append(order.map((event) => ({ ...event, tenant: world.tenant, conversation_id })));
      await world.drain({ maxRecords: 2 });
      const sql = `select sum(input_uncached) as input, sum(output) as output from steps
        where conversation = '${conversation_id}'`;
      expect(await store.rows(sql, { tenant: world.tenant })).toEqual([{ input: 17, output: 161 }]);
    }
  });

  it('counts steps without a price and doubtful counts, once', async () => {
    await world.append([
      stepEvent({ tenant: world.tenant, model: 'nobody-knows' }),
      stepEvent({
        tenant: world.tenant,
        provider: 'homegrown',
        usage: { input: 9, output: 1, cache_read: 3 },
      }),
      stepEvent({ tenant: world.tenant, usage: { input: 1, output: 1, cache_read: 3 } }),
    ]);
    let calls = 0;
    const flaky = world.around(async (block) => {
      await store.ledger.insertBlock(block);
      if (++calls === 1) throw new Error('the answer was lost');
    });
    expect(await world.drain({ ledger: flaky })).toBe('drained');
    const values = async (name: 'unpriced_steps_total' | 'usage_flags_total'): Promise<unknown> =>
      (await world.metrics[name].get()).values.map((one) => [...Object.values(one.labels), one.value]);
    expect(await values('unpriced_steps_total')).toEqual(
      expect.arrayContaining([
        ['openai', 1],
        ['other', 1],
      ]),
    );
    expect(await values('usage_flags_total')).toEqual(
      expect.arrayContaining([
        ['semantics_unknown', 1],
        ['cache_exceeds_input', 1],
      ]),
    );
  });
});
