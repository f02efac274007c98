import { createHash } from 'node:crypto';
import { momentCell } from './cells.js';
import type { Engine } from './engine.js';
import { readAll } from './read-all.js';
import { pricePerToken } from './money.js';
import { createPriceBook, type Price, type PriceAlias, type PriceBook } from './price-book.js';
import { readSeedPrices } from './seed-prices.js';

const PRICE_COLUMNS = [
  'provider',
  'model',
  'valid_from',
  'valid_until',
  'context_above',
  'currency',
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'source',
  'version',
] as const;
const ALIAS_COLUMNS = ['provider', 'alias', 'model', 'version'] as const;

/** Puts the project's own price list under whatever was imported or edited (version 0 loses to every other). */
export async function seedPrices(engine: Engine): Promise<void> {
  const seed = readSeedPrices();
  await storePrices(engine, seed.prices, seed.aliases, 0n);
}

/**
 * Stores prices and aliases; of two lines with one key the greater `version` counts. The past is not rewritten: rows
 * already inserted keep their cost and price_id.
 */
export async function storePrices(
  engine: Engine,
  prices: readonly Price[],
  aliases: readonly PriceAlias[],
  version: bigint,
): Promise<void> {
  createPriceBook(prices, aliases);
  const priceRows = prices.map((price) => [
    price.provider,
    price.model,
    momentCell(price.valid_from),
    price.valid_until === null ? null : momentCell(price.valid_until),
    price.context_above,
    price.currency,
    price.input,
    price.cache_read,
    price.cache_write_5m,
    price.cache_write_1h,
    price.output,
    price.source,
    version.toString(),
  ]);
  const aliasRows = aliases.map((one) => [one.provider, one.alias, one.model, version.toString()]);
  if (priceRows.length > 0) await engine.insert('price_rows', PRICE_COLUMNS, priceRows, tokenOf(priceRows));
  if (aliasRows.length > 0)
    await engine.insert('price_alias_rows', ALIAS_COLUMNS, aliasRows, tokenOf(aliasRows));
}

/**
 * Stores an imported list under the version of its moment. A line that says what already holds at its `valid_from` is
 * not stored again, so that an import of the same file changes nothing.
 */
export async function importPrices(
  engine: Engine,
  prices: readonly Price[],
  aliases: readonly PriceAlias[],
): Promise<{ stored: number; unchanged: number }> {
  const known = new Map<string, Price[]>();
  for (const price of await loadPrices(engine)) {
    known.set(lineKey(price), [...(known.get(lineKey(price)) ?? []), price]);
  }
  const fresh = prices.filter((price) => {
    const earlier = (known.get(lineKey(price)) ?? []).filter((one) => one.valid_from <= price.valid_from);
    const last = earlier.toSorted((a, b) => a.valid_from - b.valid_from).at(-1);
    return last === undefined || !saysTheSame(last, price);
  });
  await storePrices(engine, fresh, aliases, BigInt(Date.now()));
  return { stored: fresh.length, unchanged: prices.length - fresh.length };
}

function lineKey({ provider, model, context_above }: Price): string {
  return JSON.stringify([provider, model, context_above]);
}

function saysTheSame(held: Price, given: Price): boolean {
  return held.valid_until === given.valid_until && amountsOf(held) === amountsOf(given);
}

/** Exact, so that "1" and "1.0" are one price. */
function amountsOf({ input, cache_read, cache_write_5m, cache_write_1h, output }: Price): string {
  return [input, cache_read, cache_write_5m, cache_write_1h, output]
    .map((text) => (text === null ? 'unknown' : String(pricePerToken(text))))
    .join(' ');
}

/** The prices as they stand in the ledger now. */
export async function loadPriceBook(engine: Engine): Promise<PriceBook> {
  const aliases = await readAll<PriceAlias>(engine, 'select provider, alias, model from price_aliases');
  return createPriceBook(await loadPrices(engine), aliases);
}

async function loadPrices(engine: Engine): Promise<Price[]> {
  const prices = await readAll<Price>(
    engine,
    `select provider, model, toUnixTimestamp64Milli(valid_from) as valid_from,
       toUnixTimestamp64Milli(valid_until) as valid_until, context_above, currency, toString(input) as input,
       toString(cache_read) as cache_read, toString(cache_write_5m) as cache_write_5m,
       toString(cache_write_1h) as cache_write_1h, toString(output) as output, source
     from prices`,
  );
  return prices.map((price) => ({
    ...price,
    valid_from: Number(price.valid_from),
    valid_until: price.valid_until === null ? null : Number(price.valid_until),
    context_above: Number(price.context_above),
  }));
}

function tokenOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
