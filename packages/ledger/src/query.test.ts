import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished } from '../test/step-event.js';
import { temporaryLedger, type TemporaryLedger } from '../test/temporary-ledger.js';
import { guardQuery, QueryRefusedError } from './guard-query.js';
import { stepRow } from './step-row.js';
import { taskRow } from './task-row.js';

let one: TemporaryLedger;
let secretFile: string;
const limits = { max_execution_time: 5, max_result_rows: 10, max_memory_usage: 1e9 };
beforeAll(async () => {
  one = await temporaryLedger();
  secretFile = path.join(one.folder, 'secret.csv');
  writeFileSync(secretFile, 'top,secret\n');
  const rows = ['a', 'b'].flatMap((tenant) =>
    [1, 2].map(() =>
      stepRow(stepEvent({ tenant, conversation_id: tenant === 'a' ? '5' : 'secret-b' }), one.ledger.prices),
    ),
  );
  await one.ledger.insertBlock({ kind: 'steps', token: 'steps', rows });
  const tasks = ['a', 'b'].map((tenant, i) => taskRow(taskFinished({ tenant }), BigInt(i)));
  await one.ledger.insertBlock({ kind: 'tasks', token: 'tasks', rows: tasks });
});
afterAll(async () => {
  await one.drop();
});

describe('a query with a tenant', () => {
  it.each([
    'select count() from steps',
    'select count() from step_rows',
    'select count() from palimpsest.`step_rows`',
    'select sum(tasks) + sum(completed) from cost_per_completed_task',
    'select count() + 1 from tasks',
    'select sum(steps) from run_summary',
    'select sum(steps) from cache_hit_ratio',
    'with s as (select * from steps) select count() from s',
    "select 2 * ('secret-b' not in (select conversation from steps))",
    'select uniq(tenant) + 1 from step_rows',
    'select count() from step_rows final',
  ])('sees its own rows only: %s', async (sql) => {
    expect(await one.ledger.query(sql, { readonly: true, tenant: 'a', format: 'JSONCompactEachRow' })).toBe(
      '[2]\n',
    );
  });

  it.each([
    'select count() from step_rows where toUInt8(conversation) = 5',
    'select count() from step_rows prewhere toUInt8(conversation) = 5',
    "select count() from step_rows prewhere throwIf(tenant = 'b') = 0",
    "select count() from steps where throwIf(tenant = 'b') = 0",
    'select count() from (select conversation from steps order by toUInt8(conversation))',
  ])('learns nothing of other rows from an error: %s', async (sql) => {
    expect(await one.ledger.query(sql, { readonly: true, tenant: 'a', format: 'JSONCompactEachRow' })).toBe(
      '[2]\n',
    );
  });

  it.each([
    'select * from system.processes',
    'select * from `system` . tables',
    'select * from INFORMATION_SCHEMA.tables',
    "select * from merge('palimpsest', 'step_rows')",
    "select * from mergeTreeIndex('palimpsest', 'step_rows')",
    'show processlist',
    'explain estimate select * from steps',
  ])('is refused what tells of others: %s', async (sql) => {
    await expect(one.ledger.query(sql, { readonly: true, tenant: 'a' })).rejects.toThrow(QueryRefusedError);
  });

  it.each([
    "settings log_comment = 'all'",
    "/**/SetTings log_comment = 'tenant:62'",
    "limit 1.settings log_comment = 'all'",
  ])('brings no setting, not even in a subquery: %s', async (clause) => {
    for (const sql of [
      `select tenant from steps ${clause}`,
      `select * from (select tenant from steps ${clause})`,
    ]) {
      await expect(one.ledger.query(sql, { readonly: true, tenant: 'a' }), sql).rejects.toThrow(
        QueryRefusedError,
      );
    }
  });

  it('cannot sign itself another tenant even where the first wall has a gap', async () => {
    const own = await one.engine().read("select getSetting('log_comment')", 'JSONCompactEachRow', {
      tenant: 'a',
      limits,
    });
    const [mark] = JSON.parse(own) as [string];
    const tries = [
      'all',
      'tenant:62',
      mark.replace(':61', ':62'),
      `${mark.slice(0, 64)}:all`,
      `${mark}62`,
      mark.slice(0, 65),
      '',
    ];
    for (const forged of tries) {
      const sql = `select * from (select count() from step_rows settings log_comment = '${forged}')`;
      expect(await one.engine().read(sql, 'JSONCompactEachRow', { tenant: 'a', limits }), forged).toBe(
        '[0]\n',
      );
    }
    const same = `select * from (select count() from step_rows settings log_comment = '${mark}')`;
    expect(await one.engine().read(same, 'JSONCompactEachRow', { tenant: 'a', limits })).toBe('[2]\n');
  });

  it('is that tenant whatever its name', async () => {
    for (const tenant of ['all', "a' or 1", "x\\' , log_comment = 'all", 'a\\', '']) {
      expect(await one.rows('select count() as n from steps', { tenant }), tenant).toEqual([{ n: 0 }]);
    }
  });
});

describe('a query', () => {
  it('without a tenant reads everything, system tables too', async () => {
    expect(await one.rows('select count() as n from steps')).toEqual([{ n: 4 }]);
    expect(
      await one.rows("select count() > 5 as n from system.tables where database = 'palimpsest' -- all;"),
    ).toEqual([{ n: 1 }]);
  });

  it.each([
    'insert into step_rows (tenant) values (1)',
    'drop table step_rows',
    'create table x (a UInt8) engine = Memory',
    'system shutdown',
    'kill query where 1',
    'set readonly = 0',
    'use system',
    'truncate table step_rows',
    '',
    'select 1; drop table step_rows',
    "select 1 into outfile 'x'",
    "select 1 INTO/**/OUTFILE 'x'",
    '-- select',
    "select file('x')",
    "select `FILE`('x')",
    'select * apply(file) from steps',
    "select * from file('x')",
    'select 1 /* file */',
    "select 1 # ' \n from file('x') -- '",
    "select $a$ ' $a$ , file('x') , $b$ ' $b$",
  ])('is refused before it runs: %s', async (sql) => {
    await expect(one.ledger.query(sql, { readonly: true })).rejects.toThrow(QueryRefusedError);
  });

  it('cannot write even where the first wall has a gap', async () => {
    for (const sql of [
      "insert into step_rows (tenant) values ('z')",
      'drop table step_rows',
      'set readonly = 0',
      "set log_comment = 'all'",
      'create table x (a UInt8) engine = Memory',
      `select * from file('${secretFile}')`,
      `select * from "${secretFile}"`,
      `select * from '${secretFile}'`,
      `select * from default."${secretFile}"`,
      "select * from url('http://127.0.0.1:1/')",
      "select * from s3('http://127.0.0.1:1/x')",
      "select * from executable('x.sh', 'TSV', 'a String')",
      'select 1 settings max_execution_time = 0',
      `create temporary table y (a UInt8)`,
    ]) {
      await expect(
        one.engine().read(sql, 'TabSeparatedWithNames', { tenant: 'a', limits }),
        sql,
      ).rejects.toThrow();
    }
    expect(await one.rows('select count() as n from steps')).toEqual([{ n: 4 }]);
    // The engine's own "default" would show files as tables, to a reader too once anyone has opened them.
    const databases = "select engine from system.databases where name = 'default'";
    expect(await one.rows(databases)).toEqual([{ engine: 'Memory' }]);
  });

  it('refuses every table function that reads from elsewhere', async () => {
    const harmless = [
      'format',
      'generateRandom',
      'generateSeries',
      'generate_series',
      'null',
      'numbers',
      'numbers_mt',
      'primes',
      'SQLStandardValues',
      'values',
      'zeros',
      'zeros_mt',
    ];
    const rows = await one.rows('select name from system.table_functions');
    const open = rows
      .map((row) => String(row['name']))
      .filter((name) => {
        try {
          guardQuery(`select * from ${name}('x')`, { tenantOnly: true });
          return true;
        } catch {
          return false;
        }
      });
    expect(open.toSorted()).toEqual(harmless.toSorted());
  });

  it('over a limit is an error, and leaves nothing in the next answer', async () => {
    const low = { max_result_rows: 10, max_execution_time: 1 };
    await expect(
      one.ledger.query('select number from numbers(50)', { readonly: true, limits: low }),
    ).rejects.toThrow(/Limit for result/);
    await expect(
      one.ledger.query('select count() from numbers(100000000000) where sipHash64(number) = 1', {
        readonly: true,
        limits: low,
      }),
    ).rejects.toThrow(/Timeout/);
    expect(await one.rows('select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('does not leave the ledger read-only', async () => {
    await Promise.all([
      one.rows('select 1'),
      one.ledger.insertBlock({
        kind: 'tasks',
        token: 'later',
        rows: [taskRow(taskFinished({ tenant: 'z' }), 9n)],
      }),
    ]);
    expect(await one.rows('select count() as n from tasks', { tenant: 'z' })).toEqual([{ n: 1 }]);
    expect(existsSync('x')).toBe(false);
  });
});
