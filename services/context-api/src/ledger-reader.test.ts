import { stepRow, taskRow } from '@palimpsest/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished } from '../../../packages/ledger/test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../../../packages/ledger/test/temporary-ledger.js';
import { createLedgerReader } from './ledger-reader.js';
import type { LedgerReader } from './options.js';

const ODD = `it's "odd"\\ \u0457); drop`;
let one: TemporaryLedger;
let reader: LedgerReader;
beforeAll(async () => {
  one = await temporaryLedger();
  reader = createLedgerReader(one.ledger);
  const steps = [step(ODD, 2, 'gpt-4o'), step(ODD, 1, 'gpt-4o'), step('unpriced', 1, 'nobody-knows')];
  await one.ledger.insertBlock({
    kind: 'steps',
    token: 'steps',
    rows: steps.map((event) => stepRow(event, one.ledger.prices)),
  });
  await one.ledger.insertBlock({
    kind: 'tasks',
    token: 'tasks',
    rows: [taskRow(taskFinished({ tenant: 'acme', task_id: ODD, agent: 'shop' }), 1n)],
  });
});
afterAll(() => one.drop());

describe('the ledger as the API tells it', () => {
  it('sums up a task and lists its steps in order, whatever its id', async () => {
    const task = (await reader.task('acme', ODD)) as Record<string, unknown>;
    expect(task).toMatchObject({
      task_id: ODD,
      outcome: 'completed',
      steps: 2,
      at_least: false,
      cost: '0.0077',
      peak_input_tokens: 2_000,
      tokens: { input_uncached: 3_000, output: 20 },
      step_list: [{ step_index: 1 }, { step_index: 2 }],
    });
  });

  it('says "at least" where a price is unknown', async () => {
    expect(await reader.task('acme', 'unpriced')).toMatchObject({
      at_least: true,
      unpriced_steps: 1,
      outcome: null,
    });
  });

  it('knows no task of another tenant', async () => {
    expect(await reader.task('other', ODD)).toBeNull();
    expect(await reader.costs('other', ['strategy'])).toEqual([]);
  });

  it('sums up cost by the groups asked for', async () => {
    expect(await reader.costs('acme', ['strategy', 'agent'])).toEqual([
      {
        strategy: 's@1',
        agent: 'shop',
        at_least: true,
        tasks: 2,
        completed: 1,
        steps: 3,
        unpriced_steps: 1,
        spend: '0.0077',
        spend_per_completed: '0.0077',
      },
    ]);
    expect(await reader.costs('acme', ['day'])).toHaveLength(1);
  });
});

function step(task_id: string, step_index: number, model: string): ReturnType<typeof stepEvent> {
  return stepEvent({
    tenant: 'acme',
    task_id,
    step_index,
    model,
    agent: 'shop',
    strategy: 's@1',
    usage: { input: 1_000 * step_index, output: 10 },
  });
}
