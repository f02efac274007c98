import type { Engine } from './engine.js';
import { literal, readAll } from './read-all.js';
import { STEP_COLUMNS } from './step-row.js';
import { TASK_COLUMNS } from './task-row.js';

export interface AuditDifference {
  /**
   * - `missing`: an event the sink has passed is not what the ledger has for its answer or task
   * - `doubled`: an event lies in the ledger more often than in the log, or under a second key
   * - `changed`: a row says something else than its event
   * - `foreign`: a row of no event in the log
   * - `price`: a cost that does not follow from the price its price_id names
   */
  sort: 'missing' | 'doubled' | 'changed' | 'foreign' | 'price';
  table: 'steps' | 'tasks';
  count: number;
  /** At most three. */
  samples: { tenant: string; key: string; event_id: string }[];
}

/** The columns that make rows one, and those a repricing or a second delivery may change. */
interface Audited {
  table: 'steps' | 'tasks';
  rows: string;
  key: readonly string[];
  columns: readonly string[];
  volatile: readonly string[];
}

const STEPS: Audited = {
  table: 'steps',
  rows: 'step_rows',
  key: ['tenant', 'conversation', 'answer_key'],
  columns: STEP_COLUMNS,
  volatile: ['version', 'price_id', 'cost'],
};
const TASKS: Audited = {
  table: 'tasks',
  rows: 'task_rows',
  key: ['tenant', 'task', 'kind'],
  columns: TASK_COLUMNS,
  volatile: ['version'],
};

export function stepDifferences(engine: Engine, audit: string): Promise<AuditDifference[]> {
  return differences(engine, audit, STEPS);
}

export function taskDifferences(engine: Engine, audit: string): Promise<AuditDifference[]> {
  return differences(engine, audit, TASKS);
}

/** One statement for all sorts: both sides are read once and meet by key and event, then by key. */
async function differences(engine: Engine, audit: string, audited: Audited): Promise<AuditDifference[]> {
  const { table, rows, key, columns, volatile } = audited;
  const id = literal(audit);
  const keys = key.join(', ');
  // As text: a tuple with a NULL inside has a hash, a NULL alone has none.
  const content = `cityHash64(toString(tuple(${columns.filter((one) => !volatile.includes(one)).join(', ')})))`;
  const repriced =
    table === 'steps'
      ? `union all select ${keys}, event_id, 0, 0, 0, false, 0, 0, 1 from reprice_rows final`
      : '';
  const found = await readAll<{
    sort: AuditDifference['sort'];
    count: string;
    samples: [string, string, string][];
  }>(
    engine,
    `with sides as (
       select ${keys}, event_id, version, ${content} as content, 1 as in_log, settled, 0 as in_ledger, 0 as seen,
              0 as in_reprice
         from audit_${table.slice(0, -1)}_rows where audit = ${id}
       union all
       select ${keys}, event_id, version, ${content}, 0, false, 1, 0, 0 from ${rows}
       ${repriced}
     ),
     events as (
       select ${keys}, event_id, sum(in_log) as in_logs, sum(in_ledger) as in_ledgers, sum(in_reprice) as repriced,
              maxIf(version, in_log = 1 and settled) as due, maxIf(version, in_ledger = 1) as have,
              uniqExactIf(content, in_log = 1 or in_ledger = 1) as contents
         from sides group by ${keys}, event_id
     ),
     verdicts as (
       select ${keys}, event_id, multiIf(
                in_logs = 0 and in_ledgers > 0,
                  if(event_id in (select event_id from audit_${table.slice(0, -1)}_rows where audit = ${id}), 'doubled', 'foreign'),
                in_ledgers > in_logs + repriced, 'doubled',
                in_ledgers > 0 and contents > 1, 'changed',
                '') as sort
         from events
       union all
       select ${keys}, argMax(event_id, due), 'missing' from events group by ${keys} having max(due) > max(have)
     )
     select sort, toString(count()) as count,
            groupArray(3)((toString(tenant), concat(toString(${key[1]}), ' ', toString(${key[2]})), event_id)) as samples
       from verdicts where sort != '' group by sort order by sort`,
  );
  return found.map(({ sort, count, samples }) => ({
    sort,
    table,
    count: Number(count),
    samples: samples.map(([tenant, of, event_id]) => ({ tenant, key: of, event_id })),
  }));
}

/** Costs that no line of the price they name gives, at any time it was said. */
export async function costDifferences(engine: Engine): Promise<AuditDifference[]> {
  const kinds = [
    ['input_uncached', 'input'],
    ['cache_read', 'cache_read'],
    ['cache_write_5m', 'cache_write_5m'],
    ['cache_write_1h', 'cache_write_1h'],
    ['output', 'output'],
  ] as const;
  const unknown = kinds.map(([tokens, price]) => `(s.${tokens} > 0 and p.${price} is null)`).join(' or ');
  // Exact: a price has at most 6 places, so the sum of products divides by a million within 12.
  const sum = kinds
    .map(([tokens, price]) => `s.${tokens} * ifNull(p.${price}, toDecimal128(0, 12))`)
    .join(' + ');
  const [found] = await readAll<{ count: string; samples: [string, string, string][] }>(
    engine,
    `select toString(count()) as count, groupArray(3)((tenant, concat(conversation, ' ', answer_key), event_id)) as samples
       from (
         select s.tenant as tenant, s.conversation as conversation, s.answer_key as answer_key,
                any(s.event_id) as event_id,
                countIf(if(s.price_id = '' or p.price_id = '' or ${unknown}, s.cost is null and (s.price_id = '' or p.price_id != ''),
                           ifNull(s.cost = (${sum}) / 1000000, false))) as right
           from (select * from step_rows final) as s
           left join (select *, price_id from price_log final) as p on toString(s.price_id) = p.price_id
          group by tenant, conversation, answer_key
         having right = 0
       )`,
  );
  const count = Number(found?.count ?? 0);
  if (found === undefined || count === 0) return [];
  const samples = found.samples.map(([tenant, key, event_id]) => ({ tenant, key, event_id }));
  return [{ sort: 'price', table: 'steps', count, samples }];
}
