import { createHash, randomUUID } from 'node:crypto';
import { type Cell, momentCell } from './cells.js';
import type { Engine } from './engine.js';
import { toDecimal } from './money.js';
import { costOf, type PriceBook } from './price-book.js';
import { literal, readAll } from './read-all.js';
import { STEP_COLUMNS } from './step-row.js';

/** Which answers are priced anew; what is not named is not asked for. */
export interface RepriceRequest {
  tenant?: string;
  /** As steps carry it. */
  provider?: string;
  /** The model that answered, or was asked for where that is not known. */
  model?: string;
  /** Milliseconds since 1970, inclusive, of `s.occurred_at`. */
  from?: number;
  /** Exclusive. */
  until?: number;
  /** True: only answers without a cost. */
  unpricedOnly?: boolean;
  /** True: counts, and writes nothing. */
  dryRun?: boolean;
  /** Why, for the trace. */
  note?: string;
}

export interface Repricing {
  /** Names the trace in `repricings`. */
  repricing: string;
  looked: number;
  changed: number;
  /** Answers among `looked` that have no cost afterwards. */
  unpriced: number;
}

const PAGE = 20_000;
const TRACE_COLUMNS = [
  'repricing',
  'repriced_at',
  'note',
  'tenant',
  'conversation',
  'answer_key',
  'event_id',
  'price_id_before',
  'cost_before',
  'price_id_after',
  'cost_after',
] as const;

type Row = Record<(typeof STEP_COLUMNS)[number], Cell>;

/**
 * Prices answers by the prices of now at the moment they happened. An answer whose price and cost stay the same is not
 * written. The trace is written before the answers: a run that was cut off is done again with the same request, and
 * finds what is left. A report that arrives meanwhile wins, as everywhere, if it is greater.
 */
export async function reprice(
  engine: Engine,
  prices: PriceBook,
  request: RepriceRequest,
): Promise<Repricing> {
  const repricing = randomUUID();
  const at = momentCell(Date.now());
  const result: Repricing = { repricing, looked: 0, changed: 0, unpriced: 0 };
  for await (const page of pages(engine, request)) {
    const changed: { before: Row; after: Row }[] = [];
    for (const before of page) {
      const after = pricedAnew(before, prices);
      if (after.cost === null) result.unpriced += 1;
      if (!isSame(before, after)) changed.push({ before, after });
    }
    result.looked += page.length;
    result.changed += changed.length;
    if (changed.length === 0 || request.dryRun === true) continue;
    const trace = changed.map(({ before, after }) => [
      repricing,
      at,
      request.note ?? '',
      before.tenant,
      before.conversation,
      before.answer_key,
      before.event_id,
      before.price_id,
      before.cost,
      after.price_id,
      after.cost,
    ]);
    await engine.insert('reprice_rows', TRACE_COLUMNS, trace, tokenOf('trace', repricing, trace));
    const rows = changed.map(({ after }) => STEP_COLUMNS.map((column) => after[column]));
    await engine.insert('step_rows', STEP_COLUMNS, rows, tokenOf('rows', repricing, rows));
  }
  return result;
}

function pricedAnew(row: Row, prices: PriceBook): Row {
  const usage = {
    input_uncached: Number(row.input_uncached),
    cache_read: Number(row.cache_read),
    cache_write_5m: Number(row.cache_write_5m),
    cache_write_1h: Number(row.cache_write_1h),
    output: Number(row.output),
  };
  const input = usage.input_uncached + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const at = Date.parse(`${String(row.occurred_at).replace(' ', 'T')}Z`);
  const model = String(row.model_resolved || row.model);
  const resolved = prices.resolvePrice(String(row.provider), model, at, input);
  const amount = resolved === null ? null : costOf(usage, resolved);
  return {
    ...row,
    price_id: resolved?.price_id ?? '',
    cost: amount === null ? null : toDecimal(amount),
  };
}

function isSame(before: Row, after: Row): boolean {
  return before.price_id === after.price_id && before.cost === after.cost;
}

/** Answers in the order of the table's key, a page at a time: each page sees what was inserted until then. */
async function* pages(engine: Engine, request: RepriceRequest): AsyncGenerator<Row[]> {
  const columns = STEP_COLUMNS.map(columnText).join(', ');
  const scope = conditions(request);
  let behind: Row | undefined;
  for (;;) {
    const cursor =
      behind === undefined
        ? []
        : [
            `(s.tenant, s.conversation, s.answer_key) > (${literal(String(behind.tenant))}, ` +
              `${literal(String(behind.conversation))}, ${literal(String(behind.answer_key))})`,
          ];
    const where = [...scope, ...cursor].join(' and ') || 'true';
    const page = await readAll<Row>(
      engine,
      `select ${columns} from step_rows as s final where ${where}
       order by s.tenant, s.conversation, s.answer_key limit ${PAGE}`,
    );
    if (page.length === 0) return;
    yield page;
    behind = page.at(-1);
  }
}

/** Wide numbers as text, so that no digit is lost; the cost with all its places, as a row is given it. */
function columnText(column: (typeof STEP_COLUMNS)[number]): string {
  if (column === 'version') return 'toString(s.version) as version';
  if (column === 'cost')
    return 'if(isNull(s.cost), null, toDecimalString(assumeNotNull(s.cost), 12)) as cost';
  return `s.${column} as ${column}`;
}

function conditions(request: RepriceRequest): string[] {
  const { tenant, provider, model, from, until, unpricedOnly } = request;
  return [
    ...(tenant === undefined ? [] : [`s.tenant = ${literal(tenant)}`]),
    ...(provider === undefined ? [] : [`lower(s.provider) = lower(${literal(provider)})`]),
    ...(model === undefined
      ? []
      : [`if(s.model_resolved != '', s.model_resolved, s.model) = ${literal(model)}`]),
    ...(from === undefined ? [] : [`s.occurred_at >= '${momentCell(from)}'`]),
    ...(until === undefined ? [] : [`s.occurred_at < '${momentCell(until)}'`]),
    ...(unpricedOnly === true ? ['s.cost is null'] : []),
  ];
}

function tokenOf(kind: string, repricing: string, rows: unknown): string {
  return `${kind}/${repricing}/${createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)}`;
}
