import { randomUUID } from 'node:crypto';
import type { StepEvent, TaskEvent } from '@palimpsest/events';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished, taskStarted } from '../test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../test/temporary-ledger.js';
import { refreshRollup } from './rollup.js';

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
});
afterAll(async () => {
  await one.drop();
});

const rowsOf = (view: string, tenant: string) =>
  one.rows(`select * from ${view} order by agent, strategy, model, day`, { tenant });

async function expectEqual(tenant: string): Promise<Record<string, unknown>[]> {
  const rolled = await rowsOf('cost_per_completed_task', tenant);
  expect(rolled).toEqual(await rowsOf('cost_per_completed_task_raw', tenant));
  return rolled;
}

/** So that a test sees rows as settled at once; the next refresh must still find what is new. */
const refresh = (refreshesPerBase = 3) => refreshRollup(one.engine(), { settleSeconds: 0, refreshesPerBase });

const day = (n: number): number => Date.UTC(2026, 0, n, 12);
const step = fc.record({
  kind: fc.constant('step' as const),
  conversation: fc.constantFrom('c1', 'c2'),
  task: fc.constantFrom('', 'A', 'B', 'C'),
  strategy: fc.constantFrom(null, 's@1', 's@2'),
  agent: fc.constantFrom(null, 'x', 'y'),
  model: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'unknown'),
  request: fc.constantFrom('', 'R1', 'R2', 'R3'),
  purpose: fc.constantFrom('answer' as const, 'summary' as const),
  input: fc.integer({ min: 0, max: 1000 }),
  final: fc.boolean(),
  on: fc.integer({ min: 1, max: 3 }),
});
const outcome = fc.record({
  kind: fc.constant('outcome' as const),
  task: fc.constantFrom('A', 'B', 'C', 'D'),
  outcome: fc.constantFrom(null, 'completed' as const, 'failed' as const, 'handed_over' as const),
  agent: fc.constantFrom(null, 'x'),
  on: fc.integer({ min: 1, max: 4 }),
});
const again = fc.record({ kind: fc.constant('refresh' as const) });

describe('cost per completed task from the rollup', () => {
  it('equals the answer from every step after any steps, corrections and refreshes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: step },
            { weight: 2, arbitrary: outcome },
            { weight: 2, arbitrary: again },
          ),
          {
            minLength: 4,
            maxLength: 12,
          },
        ),
        async (actions) => {
          const tenant = randomUUID();
          for (const action of actions) {
            if (action.kind === 'refresh') await refresh();
            else if (action.kind === 'step') await one.insertSteps([stepOf(tenant, action)]);
            else await one.insertTasks([taskOf(tenant, action)]);
          }
          await expectEqual(tenant);
          await refresh();
          await expectEqual(tenant);
        },
      ),
      { numRuns: 5, seed: 20_261_202 },
    );
  }, 120_000);

  it('answers from the sums alone when nothing was touched since', async () => {
    const tenant = randomUUID();
    await one.insertSteps([stepEvent({ tenant, usage: { input: 400_000, output: 0 } })]);
    await refresh();
    await refresh();
    expect((await refresh()).refresh).toBeNull();
    expect(await one.rows('select count() as n from rollup_dirty', { tenant })).toEqual([{ n: 0 }]);
    expect(await expectEqual(tenant)).toMatchObject([{ tasks: 1, spend: '1' }]);
  });

  it('moves an answer out of the task that its first report named', async () => {
    const tenant = randomUUID();
    const report = { tenant, request_id: 'R', usage: { input: 400_000, output: 0 } };
    await one.insertSteps([stepEvent({ ...report, task_id: 'A', final: false })]);
    await refresh();
    await refresh();
    await one.insertSteps([stepEvent({ ...report, task_id: 'B', agent: 'b' })]);
    expect(await expectEqual(tenant)).toMatchObject([{ agent: 'b', tasks: 1, steps: 1, spend: '1' }]);
    await refresh();
    await one.insertTasks([taskFinished({ tenant, task_id: 'A', agent: 'a' })]);
    expect(await expectEqual(tenant)).toMatchObject([
      { agent: 'a', tasks: 1, steps: 0, completed: 1 },
      { agent: 'b', tasks: 1, steps: 1 },
    ]);
  });

  it('counts nothing of a refresh that was cut off, and one of two that ran at once', async () => {
    const tenant = randomUUID();
    await one.insertSteps([stepEvent({ tenant, usage: { input: 400_000, output: 0 } })]);
    const engine = one.engine();
    const cutOff = {
      ...engine,
      command: async (statement: string) => {
        if (statement.includes('into rollup_refreshes')) throw new Error('killed');
        await engine.command(statement);
      },
    };
    await expect(refreshRollup(cutOff)).rejects.toThrow('killed');
    await expectEqual(tenant);
    await Promise.all([refresh(), refresh()]);
    await expectEqual(tenant);
    await one.insertTasks([taskFinished({ tenant })]);
    await refresh();
    expect(await expectEqual(tenant)).toMatchObject([{ completed: 1, spend: '1' }]);
  });
});

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

function stepOf(tenant: string, drawn: Drawn<typeof step>): StepEvent {
  return stepEvent({
    tenant,
    conversation_id: drawn.conversation,
    task_id: drawn.task,
    strategy: drawn.strategy,
    agent: drawn.agent,
    model: drawn.model,
    request_id: drawn.request,
    purpose: drawn.purpose,
    final: drawn.final,
    occurred_at: day(drawn.on),
    usage: { input: drawn.input, output: 1 },
  });
}

function taskOf(tenant: string, drawn: Drawn<typeof outcome>): TaskEvent {
  const common = { tenant, task_id: drawn.task, agent: drawn.agent, occurred_at: day(drawn.on) };
  return drawn.outcome === null ? taskStarted(common) : taskFinished({ ...common, outcome: drawn.outcome });
}
