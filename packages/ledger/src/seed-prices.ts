import { readFileSync } from 'node:fs';
import type { Price, PriceAlias } from './price-book.js';

type Line = Pick<Price, 'provider' | 'model' | 'source'> & { valid_from: string; context_above?: number } & {
  [kind in 'input' | 'cache_read' | 'cache_write_5m' | 'cache_write_1h' | 'output']?: string;
};

/** The small price list that comes with the project (`packages/ledger/prices.json`), amounts in USD. */
export function readSeedPrices(): { prices: Price[]; aliases: PriceAlias[] } {
  const file = new URL('../prices.json', import.meta.url);
  const seed = JSON.parse(readFileSync(file, 'utf8')) as { prices: Line[]; aliases: PriceAlias[] };
  return { prices: seed.prices.map(toPrice), aliases: seed.aliases };
}

function toPrice(line: Line): Price {
  return {
    provider: line.provider,
    model: line.model,
    valid_from: Date.parse(`${line.valid_from}T00:00:00Z`),
    valid_until: null,
    context_above: line.context_above ?? 0,
    currency: 'USD',
    input: line.input ?? null,
    cache_read: line.cache_read ?? null,
    cache_write_5m: line.cache_write_5m ?? null,
    cache_write_1h: line.cache_write_1h ?? null,
    output: line.output ?? null,
    source: line.source,
  };
}
