import { randomUUID } from 'node:crypto';
import type { Engine } from './engine.js';
import { readAll } from './read-all.js';

export interface RollupRefresh {
  /** Its number; null = nothing was touched since the last one. */
  refresh: number | null;
  /** Units computed anew. */
  units: number;
}

/**
 * An insert is seen by readers at most this long after the moment its rows were touched at. Units younger than that
 * are refreshed again the next time.
 */
const SETTLE_SECONDS = 60;
/** Refreshes whose deltas a query adds up; then one writes the whole sum. */
const REFRESHES_PER_BASE = 100;

const MEASURES = [
  'tasks',
  'completed',
  'steps',
  'unpriced_steps',
  'flagged_steps',
  'mixed_strategy_tasks',
  'spend',
  'completed_spend',
] as const;
const GROUP = ['tenant', 'agent', 'strategy', 'model', 'day'] as const;

/**
 * Computes the units touched since the last refresh and adds what changed to the sums. Nothing counts before the last
 * statement: one that is cut off leaves rows that nobody reads. Of two at once the first to finish counts, and the
 * other was in vain. Answers are exact without it, and slower.
 */
export async function refreshRollup(
  engine: Engine,
  options: { settleSeconds?: number; refreshesPerBase?: number } = {},
): Promise<RollupRefresh> {
  const settle = options.settleSeconds ?? SETTLE_SECONDS;
  const perBase = options.refreshesPerBase ?? REFRESHES_PER_BASE;
  const [state] = await readAll<{ last: string; base: string; now: string; dirty: string }>(
    engine,
    `select toString(max(refresh)) as last, toString(maxIf(refresh, is_base)) as base, toString(now64(6, 'UTC')) as now,
            toString((select count() from rollup_dirty)) as dirty
       from rollup_finished`,
  );
  const { last, base, now, dirty } = state as NonNullable<typeof state>;
  if (dirty === '0') return { refresh: null, units: 0 };
  const refresh = Number(last) + 1;
  const isBase = refresh === 1 || refresh - Number(base) >= perBase;
  const nonce = randomUUID();
  await writeUnits(engine, refresh, nonce);
  await writeDeltas(engine, refresh, nonce, isBase);
  await engine.command(
    `insert into rollup_refreshes
     select ${refresh}, '${nonce}', toDateTime64('${now}', 6, 'UTC') - toIntervalSecond(${settle}), ${isBase}, now64(6, 'UTC')`,
  );
  if (isBase) await forgetBefore(engine, Number(base));
  return { refresh, units: Number(dirty) };
}

/** The units as they are now, and for each a row of zeros: one that is left without steps must be known as empty. */
async function writeUnits(engine: Engine, refresh: number, nonce: string): Promise<void> {
  const columns = ['tenant', 'task', 'conversation', 'agent', 'strategy', 'model', 'day', ...MEASURES];
  await engine.command(
    `insert into rollup_units (refresh, nonce, ${columns.join(', ')})
     select ${refresh}, '${nonce}', ${columns.join(', ')} from rollup_fresh
     union all
     select ${refresh}, '${nonce}', tenant, task, conversation, '', '', '', toDate(0), 0, 0, 0, 0, 0, 0,
            toDecimal128(0, 12), toDecimal128(0, 12)
       from rollup_dirty`,
  );
}

/** From the units just written, not from the views: both must be of one moment. */
async function writeDeltas(engine: Engine, refresh: number, nonce: string, isBase: boolean): Promise<void> {
  const written = `(refresh = ${refresh} and nonce = '${nonce}')`;
  const finished = `(refresh < ${refresh} and (refresh, nonce) in (select refresh, nonce from rollup_finished))`;
  const unit = '(tenant, task, conversation)';
  const columns = [...GROUP, ...MEASURES].join(', ');
  const parts = [
    `select ${columns} from rollup_units where ${written}`,
    `select ${GROUP.join(', ')}, ${MEASURES.map((measure) => `-${measure}`).join(', ')} from rollup_units
      where ${finished} and (tenant, task, conversation, refresh) in (
        select tenant, task, conversation, max(refresh) from rollup_units
         where ${finished} and ${unit} in (select tenant, task, conversation from rollup_units where ${written})
         group by tenant, task, conversation)`,
    ...(isBase
      ? [
          `select ${columns} from rollup_deltas
            where ${finished} and refresh >= (select maxIf(refresh, is_base) from rollup_finished where refresh < ${refresh})`,
        ]
      : []),
  ];
  await engine.command(
    `insert into rollup_deltas (refresh, nonce, ${columns})
     select ${refresh}, '${nonce}', ${GROUP.join(', ')}, ${MEASURES.map((name) => `sum(p.${name}) as sum_of_${name}`).join(', ')}
       from (${parts.join(' union all ')}) as p group by ${GROUP.join(', ')}
     having ${MEASURES.map((name) => `sum_of_${name} != 0`).join(' or ')}`,
  );
}

/** What no query can begin to read any more: rows behind the base before the one just written. */
async function forgetBefore(engine: Engine, base: number): Promise<void> {
  if (base === 0) return;
  await engine.command(`alter table rollup_deltas delete where refresh < ${base}`);
  await engine.command(
    `alter table rollup_units delete where refresh < ${base} and (tenant, task, conversation, refresh) not in (
       select tenant, task, conversation, max(refresh) from rollup_units
        where (refresh, nonce) in (select refresh, nonce from rollup_finished) group by tenant, task, conversation)`,
  );
}
