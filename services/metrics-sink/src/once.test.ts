import type { PalimpsestEvent } from '@palimpsest/events';
import type { LedgerBlock } from '@palimpsest/ledger';
import type { LogRecord } from '@palimpsest/log';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { taskFinished, taskStarted } from '../../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../../packages/ledger/test/temporary-ledger.js';
import { auditLedger } from './index.js';
import { killAt } from '../test/kill-at.js';
import { decodeJson, SinkWorld, until } from '../test/sink-world.js';

let store: TemporaryLedger;
let world: SinkWorld;
beforeAll(async () => {
  store = await temporaryLedger();
  // So that a row inserted twice is seen, and not merged away before the test looks.
  await store.engine().command('system stop merges');
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

describe('each event takes effect once in the ledger', () => {
  it('inserts each row once when an answer is lost and the log then delivers other batches', async () => {
    await world.append(world.steps(40));
    let calls = 0;
    const crashing = world.around(async (block) => {
      await store.ledger.insertBlock(block);
      if (++calls > 2) throw new Error('the answer was lost');
    });
    // The ledger has the blocks; the sink does not know, and every retry fails alike.
    const sink = await world.startSink({ ledger: crashing });
    await until(() => calls >= 4);
    await sink.stop();
    expect(await world.drain({ maxRecords: 100 })).toBe('drained');
    expect(await world.inserted()).toBe(40);
    await world.expectTotals(40);
  });

  it('knows a former owner’s insert that arrives late', async () => {
    await world.append(world.steps(30));
    const held: LedgerBlock[] = [];
    const stuck = world.around(async (block) => {
      held.push(block);
      throw new Error('the process was stopped here');
    });
    const sink = await world.startSink({ ledger: stuck });
    await until(() => held.length >= 2);
    await sink.stop();
    expect(await world.drain({ maxRecords: 50 })).toBe('drained');
    for (const block of held) await store.ledger.insertBlock(block);
    expect(await world.inserted()).toBe(30);
    await world.expectTotals(30);
  });

  it('counts an event once that lies in the log twice, in another batch', async () => {
    const events = world.steps(10);
    await world.append(events);
    await world.drain();
    await world.append([...events.slice(3), ...events.slice(0, 6)]);
    await world.drain();
    await world.expectTotals(10);
  });

  // 200 sinks one after the other: 20 s on an idle machine, more beside other tests.
  it('counts once over 200 kills and lost answers, and the audit finds nothing', async () => {
    const count = 1_500;
    await world.append(world.steps(count));
    await world.append([taskStarted({ tenant: world.tenant }), taskFinished({ tenant: world.tenant })]);
    const faults = fc.sample(
      fc.record({
        at: fc.integer({ min: 0, max: 25 }),
        maxRecords: fc.integer({ min: 1, max: 12 }),
        lost: fc.boolean(),
      }),
      {
        numRuns: 200,
        seed: 20_261_201,
      },
    );
    let crashes = 0;
    for (const fault of faults) {
      const killer = killAt(world, fault.at, fault.lost);
      const result = await world.drain({
        ledger: killer.ledger,
        pool: killer.pool,
        maxRecords: fault.maxRecords,
      });
      if (result === 'drained') break;
      crashes += 1;
    }
    expect(await world.drain({ maxRecords: 200 })).toBe('drained');
    expect(crashes).toBe(200);
    expect(await world.inserted()).toBe(count);
    await world.expectTotals(count);
    const { log, pool } = world;
    const { differences, refused, pending } = await auditLedger({
      log,
      pool,
      ledger: store.ledger,
      decode: decodeJson,
    });
    // Rows of the other tests are of logs that are gone.
    expect(differences.filter(({ sort }) => sort !== 'foreign')).toEqual([]);
    expect({ refused, pending }).toEqual({ refused: 0, pending: 0 });
  }, 240_000);

  it('keeps the range fixed and the checkpoint still while the ledger is away', async () => {
    await world.append(world.steps(5));
    let calls = 0;
    const away = world.around(async () => {
      calls += 1;
      throw new Error('no route to the ledger');
    });
    const sink = await world.startSink({ ledger: away });
    await until(() => calls >= 5);
    await sink.stop();
    const { rows } = await world.pool.query('select distinct next_offset from palimpsest.checkpoints');
    expect(rows).toEqual([{ next_offset: '0' }]);
    expect(await world.inserted()).toBe(0);
    expect(await world.drain()).toBe('drained');
    await world.expectTotals(5);
    const left = await world.pool.query('select bool_and(done) as done from palimpsest.ledger_blocks');
    expect(left.rows).toEqual([{ done: true }]);
  });

  it('sends nothing for a partition it has just lost', async () => {
    await world.append(world.steps(3));
    const sent: string[] = [];
    const ledger = world.around(async (block) => {
      sent.push(block.token);
      await store.ledger.insertBlock(block);
    });
    let lost = false;
    // Another process takes the partition over between the delivery of a batch and its handling.
    const decode = async (record: LogRecord): Promise<PalimpsestEvent> => {
      if (!lost) {
        lost = true;
        await world.pool.query('update palimpsest.checkpoints set epoch = epoch + 1');
      }
      return decodeJson(record);
    };
    expect(await world.drain({ ledger, decode, maxRecords: 100 })).toBe('drained');
    expect(sent).toHaveLength(new Set(sent).size);
    await world.expectTotals(3);
  });
});
