import { TOPICS } from '@palimpsest/events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished, taskStarted } from '../../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../../packages/ledger/test/temporary-ledger.js';
import { decodeJson, SinkWorld } from '../test/sink-world.js';
import { auditLedger, type LedgerAuditResult } from './index.js';

let store: TemporaryLedger;
let world: SinkWorld;
beforeAll(async () => {
  store = await temporaryLedger();
});
afterAll(async () => {
  await store.drop();
});
beforeEach(async () => {
  for (const table of ['step_rows', 'task_rows']) await store.engine().command(`truncate table ${table}`);
  world = await SinkWorld.open(store);
});
afterEach(async () => {
  await world.close();
});

const audit = (): Promise<LedgerAuditResult> =>
  auditLedger({ log: world.log, pool: world.pool, ledger: store.ledger, decode: decodeJson });

describe('the audit of the ledger', () => {
  it('finds no difference after the sink, poison and all, and says what is still to come', async () => {
    const steps = world.steps(30);
    await world.append([
      ...steps,
      taskStarted({ tenant: world.tenant }),
      taskFinished({ tenant: world.tenant }),
    ]);
    await world.append([stepEvent({ tenant: world.tenant, usage: { input: -1, output: 1 } })]);
    await world.log.append(TOPICS.steps, [{ key: 'k', value: Buffer.from('no json') }]);
    await world.drain();
    await world.append(steps.slice(0, 4));
    expect(await audit()).toMatchObject({
      records: 38,
      refused: 2,
      pending: 4,
      cutPartitions: [],
      log: { answers: '30', input_tokens: '465', task_events: '2' },
      ledger: { answers: '30', input_tokens: '465', task_events: '2' },
      differences: [],
    });
  });

  it('finds what the sink was made to skip', async () => {
    await world.append(world.steps(10));
    // A sink whose ledger says yes and keeps nothing.
    expect(await world.drain({ ledger: world.around(async () => undefined) })).toBe('drained');
    expect((await audit()).differences).toMatchObject([{ sort: 'missing', table: 'steps', count: 10 }]);
  });

  it('says that the log no longer goes back to the first record', async () => {
    await world.append(world.steps(10));
    await world.drain();
    for (const { partition, high } of await world.log.bounds(TOPICS.steps)) {
      await world.log.truncate(TOPICS.steps, partition, high);
    }
    const { cutPartitions, differences } = await audit();
    expect(cutPartitions.map(({ topic }) => topic)).toContain(TOPICS.steps);
    expect(differences.map(({ sort }) => sort)).toEqual(['foreign']);
  });
});
