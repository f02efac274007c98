import { createHash } from 'node:crypto';
import { momentCell } from './cells.js';
import { DEFAULT_LIMITS, type Engine } from './engine.js';
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
const ADMIN = { tenant: null, limits: DEFAULT_LIMITS };

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

/** The prices as they stand in the ledger now. */
export async function loadPriceBook(engine: Engine): Promise<PriceBook> {
  const prices = await rows<Price>(
    engine,
    `select provider, model, toUnixTimestamp64Milli(valid_from) as valid_from,
       toUnixTimestamp64Milli(valid_until) as valid_until, context_above, currency, toString(input) as input,
       toString(cache_read) as cache_read, toString(cache_write_5m) as cache_write_5m,
       toString(cache_write_1h) as cache_write_1h, toString(output) as output, source
     from prices`,
  );
  const aliases = await rows<PriceAlias>(engine, 'select provider, alias, model from price_aliases');
  const numeric = prices.map((price) => ({
    ...price,
    valid_from: Number(price.valid_from),
    valid_until: price.valid_until === null ? null : Number(price.valid_until),
    context_above: Number(price.context_above),
  }));
  return createPriceBook(numeric, aliases);
}

async function rows<T>(engine: Engine, query: string): Promise<T[]> {
  const text = await engine.read(query, 'JSONEachRow', ADMIN);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

function tokenOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
