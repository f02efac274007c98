import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent } from '../test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../test/temporary-ledger.js';
import type { Price } from './price-book.js';

const line = (model: string, changes: Partial<Price> = {}): Price => ({
  provider: 'openai',
  model,
  valid_from: 0,
  valid_until: null,
  context_above: 0,
  currency: 'USD',
  input: '1',
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
  output: '2',
  source: 'test',
  ...changes,
});

const day = (n: number): number => Date.UTC(2026, 0, n, 12);

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
});
afterAll(async () => {
  await one.drop();
});
const costs = (tenant: string) =>
  one.rows('select model, price_id, cost from steps order by model, occurred_at', { tenant });

describe('an import of prices', () => {
  it('changes nothing the second time, and no cost of the past', async () => {
    const tenant = randomUUID();
    await one.insertSteps([stepEvent({ tenant, model: 'imported', usage: { input: 1_000_000, output: 0 } })]);
    expect(await one.ledger.importPrices([line('imported')])).toEqual({ stored: 1, unchanged: 0 });
    const again = line('imported', { valid_from: Date.UTC(2026, 0, 1), input: '1.0' });
    expect(await one.ledger.importPrices([again])).toEqual({ stored: 0, unchanged: 1 });
    expect(await costs(tenant)).toEqual([{ model: 'imported', price_id: '', cost: null }]);
    await one.insertSteps([stepEvent({ tenant, model: 'imported', usage: { input: 1_000_000, output: 0 } })]);
    expect(await one.rows('select sum(cost) as usd from steps', { tenant })).toEqual([{ usd: '1' }]);
  });
});

describe('a repricing', () => {
  it('changes what it names and nothing else, and leaves a trace', async () => {
    const tenant = randomUUID();
    const used = { usage: { input: 1_000_000, output: 500_000 } };
    const other = randomUUID();
    await one.insertSteps([
      stepEvent({ tenant, model: 'm', occurred_at: day(1), ...used }),
      stepEvent({ tenant, model: 'm', occurred_at: day(2), ...used }),
      stepEvent({ tenant, model: 'n', occurred_at: day(2), ...used }),
      stepEvent({ tenant: other, model: 'm', occurred_at: day(2), ...used }),
    ]);
    await one.ledger.importPrices([line('m'), line('n')]);
    const request = { tenant, model: 'm', from: day(2), note: 'the list was late' };
    expect(await one.ledger.reprice({ ...request, dryRun: true })).toMatchObject({ looked: 1, changed: 1 });
    expect((await costs(tenant)).every((row) => row['cost'] === null)).toBe(true);

    const { repricing, ...result } = await one.ledger.reprice(request);
    expect(result).toEqual({ looked: 1, changed: 1, unpriced: 0 });
    expect(await costs(tenant)).toEqual([
      { model: 'm', price_id: '', cost: null },
      { model: 'm', price_id: 'openai/m@1970-01-01', cost: '2' },
      { model: 'n', price_id: '', cost: null },
    ]);
    expect(await costs(other)).toEqual([{ model: 'm', price_id: '', cost: null }]);
    expect(
      await one.rows(
        'select repricing, note, price_id_before, cost_before, price_id_after, cost_after from repricings',
        {
          tenant,
        },
      ),
    ).toEqual([
      {
        repricing,
        note: 'the list was late',
        price_id_before: '',
        cost_before: null,
        price_id_after: 'openai/m@1970-01-01',
        cost_after: '2',
      },
    ]);
    expect(await one.ledger.reprice(request)).toMatchObject({ looked: 1, changed: 0 });
    await one.engine().command('optimize table step_rows final');
    expect((await costs(tenant))[1]).toMatchObject({ cost: '2' });
  });

  it('keeps every other column, digits and odd characters included', async () => {
    const tenant = `it's \\ "odd" ї`;
    const step = stepEvent({
      tenant,
      model: 'whole',
      conversation_id: tenant,
      request_id: `${tenant};`,
      tool_result_bytes: Number.MAX_SAFE_INTEGER,
      usage: { input: 3, output: 1 },
    });
    await one.insertSteps([step]);
    const columns = 'select * except (price_id, cost) from step_rows final';
    const before = await one.rows(columns, { tenant });
    await one.ledger.importPrices([line('whole')]);
    await one.ledger.reprice({ tenant, unpricedOnly: true });
    expect(await one.rows('select count() as n from step_rows', { tenant })).toEqual([{ n: 2 }]);
    expect(await one.rows(columns, { tenant })).toEqual(before);
    expect(
      await one.rows('select toString(version) as v from step_rows group by v', { tenant }),
    ).toHaveLength(1);
  });
});
