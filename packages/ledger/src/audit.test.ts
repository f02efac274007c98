import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished, taskStarted } from '../test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../test/temporary-ledger.js';
import type { AuditReport } from './audit.js';
import { stepRow } from './step-row.js';
import { taskRow } from './task-row.js';

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
});
beforeEach(async () => {
  for (const table of ['step_rows', 'task_rows', 'reprice_rows']) {
    await one.engine().command(`truncate table ${table}`);
  }
  await one.engine().command('system stop merges');
});
afterAll(async () => {
  await one.drop();
});

const steps = [
  stepEvent({ event_id: 's1', request_id: 'R', final: false, usage: { input: 10, output: 3 } }),
  stepEvent({ event_id: 's2', request_id: 'R', usage: { input: 10, output: 9 } }),
  stepEvent({ event_id: 's3', usage: { input: 7, output: 2, cache_read: 4 } }),
  stepEvent({ event_id: 's4', model: 'nobody-knows' }),
];
const tasks = [taskStarted({ event_id: 't1' }), taskFinished({ event_id: 't2', outcome: 'failed' })];

const stepRows = (events = steps) => events.map((event) => stepRow(event, one.ledger.prices));
const taskRows = (events = tasks) => events.map((event, i) => taskRow(event, BigInt(i)));

async function fill(): Promise<void> {
  await one.ledger.insertBlock({ kind: 'steps', token: randomUUID(), rows: stepRows() });
  await one.ledger.insertBlock({ kind: 'tasks', token: randomUUID(), rows: taskRows() });
}

async function audit(logged = steps, settled = true): Promise<AuditReport> {
  const found = await one.ledger.startAudit();
  await found.add({ kind: 'steps', rows: stepRows(logged) }, settled);
  await found.add({ kind: 'tasks', rows: taskRows() }, settled);
  return await found.finish();
}

const sorts = ({ differences }: AuditReport): string[] =>
  differences.map(
    ({ sort, table, samples }) => `${sort} ${table} ${samples.map((s) => s.event_id).join(',')}`,
  );

describe('an audit', () => {
  it('finds no difference where there is none, also after redelivery, repricing and merges', async () => {
    await fill();
    expect(await audit()).toEqual({
      log: { answers: '3', input_tokens: '18', output_tokens: '12', task_events: '2' },
      ledger: { answers: '3', input_tokens: '18', output_tokens: '12', task_events: '2' },
      differences: [],
    });
    // In the log twice, and so in the ledger twice.
    await one.insertSteps([steps[2]!]);
    expect(sorts(await audit([...steps, steps[2]!]))).toEqual([]);
    const [old] = stepRows([steps[3]!]);
    await one.ledger.importPrices([
      {
        provider: 'openai',
        model: 'nobody-knows',
        valid_from: 0,
        valid_until: null,
        context_above: 0,
        currency: 'USD',
        input: '1',
        cache_read: null,
        cache_write_5m: null,
        cache_write_1h: null,
        output: '1',
        source: 'test',
      },
    ]);
    await one.ledger.reprice({});
    expect(old?.cost).toBeNull();
    expect(sorts(await audit([...steps, steps[2]!]))).toEqual([]);
    await one.engine().command('system start merges');
    await one.engine().command('optimize table step_rows final');
    expect(sorts(await audit())).toEqual([]);
    expect(await one.rows('select count() as n from audit_step_rows')).toEqual([{ n: 0 }]);
  });

  it.each([
    ['a missing answer', "alter table step_rows delete where event_id = 's3'", 'missing steps s3'],
    [
      'a missing report that should have won',
      "alter table step_rows delete where event_id = 's2'",
      'missing steps s2',
    ],
    ['a missing task event', "alter table task_rows delete where event_id = 't2'", 'missing tasks t2'],
    [
      'a row inserted twice',
      "insert into step_rows select * from step_rows where event_id = 's3'",
      'doubled steps s3',
    ],
    [
      'an event under a second key',
      "insert into step_rows select * replace ('event:other' as answer_key) from step_rows where event_id = 's3'",
      'doubled steps s3',
    ],
    [
      'a task event under a second key',
      "insert into task_rows select * replace ('other' as task) from task_rows where event_id = 't2'",
      'doubled tasks t2',
    ],
    [
      'a changed count',
      "alter table step_rows update output = 3 where event_id = 's3'",
      'changed steps s3; price steps s3',
    ],
    ['a changed text', "alter table step_rows update agent = 'x' where event_id = 's2'", 'changed steps s2'],
    [
      'a changed outcome',
      "alter table task_rows update outcome = 'completed' where event_id = 't2'",
      'changed tasks t2',
    ],
    ['a changed cost', "alter table step_rows update cost = 1 where event_id = 's3'", 'price steps s3'],
    ['a cost made up', "alter table step_rows update cost = 0 where event_id = 's4'", 'price steps s4'],
    ['a cost lost', "alter table step_rows update cost = null where event_id = 's3'", 'price steps s3'],
    [
      'a row of no event',
      "insert into step_rows select * replace ('z' as event_id, 'event:z' as answer_key) from (select * from step_rows where event_id = 's3')",
      'foreign steps z',
    ],
  ])('finds %s', async (_, plant, expected) => {
    await fill();
    await one.engine().command('system start merges');
    await one.engine().command(`${plant} ${plant.startsWith('alter') ? 'settings mutations_sync = 2' : ''}`);
    expect(sorts(await audit()).join('; ')).toBe(expected);
  });

  it('does not ask for events that the sink has not reached, and knows them where they are', async () => {
    expect(sorts(await audit(steps, false))).toEqual([]);
    await one.ledger.insertBlock({ kind: 'steps', token: 'early', rows: stepRows() });
    expect(sorts(await audit(steps, false))).toEqual([]);
  });
});
