import { type Picodollars, pricePerToken } from './money.js';
import type { DisjointUsage } from './normalize-usage.js';
import { billingProvider } from './provider-semantics.js';

const PRICED_KINDS = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output'] as const;
type PricedKind = (typeof PRICED_KINDS)[number];

/** One line of a price list. Amounts are dollars per million tokens as decimal text; null = not known, "0" = free. */
export interface Price {
  provider: string;
  model: string;
  /** Milliseconds since 1970: first moment the price holds. */
  valid_from: number;
  /** First moment it no longer holds; null = until a later `valid_from`. */
  valid_until: number | null;
  /** Holds for calls with more input tokens than this; 0 = the base price. */
  context_above: number;
  currency: string;
  input: string | null;
  cache_read: string | null;
  cache_write_5m: string | null;
  cache_write_1h: string | null;
  output: string | null;
  source: string;
}

/** A further name of a model, written out: names are never matched by a part. */
export interface PriceAlias {
  provider: string;
  alias: string;
  model: string;
}

export interface ResolvedPrice {
  /** `provider/model@2025-09-29`, with `>200000` for a tier of long contexts. */
  price_id: string;
  price: Price;
  /** The amounts of `price` in picodollars per token. */
  perToken: Record<PricedKind, Picodollars | null>;
}

export interface PriceBook {
  /**
   * The price of a model at a moment (milliseconds since 1970) for a call of `inputTokens`; null where none is known.
   * Finds by exact name, else by an explicit alias. Of several that hold, the latest `valid_from` counts.
   */
  resolvePrice(provider: string, model: string, at: number, inputTokens?: number): ResolvedPrice | null;
}

/** Builds the lookup. Throws when an amount is no price, naming the line. */
export function createPriceBook(prices: readonly Price[], aliases: readonly PriceAlias[]): PriceBook {
  const byProvider = new Map<string, Map<string, ResolvedPrice[]>>();
  const linesOf = (provider: string, model: string): ResolvedPrice[] | undefined =>
    byProvider.get(provider)?.get(model);
  for (const price of prices) {
    const provider = billingProvider(price.provider);
    const models = byProvider.get(provider) ?? new Map<string, ResolvedPrice[]>();
    byProvider.set(provider, models);
    models.set(price.model, [...(models.get(price.model) ?? []), prepare(price)]);
  }
  // An alias leads to the lines of its model; a model of that very name comes first.
  for (const { provider, alias, model } of aliases) {
    const billing = billingProvider(provider);
    const lines = linesOf(billing, model);
    if (lines !== undefined && linesOf(billing, alias) === undefined)
      byProvider.get(billing)?.set(alias, lines);
  }

  return {
    resolvePrice(provider, model, at, inputTokens = 0) {
      let best: ResolvedPrice | null = null;
      for (const line of linesOf(billingProvider(provider), model) ?? []) {
        const { valid_from, valid_until, context_above } = line.price;
        if (at < valid_from || (valid_until !== null && at >= valid_until)) continue;
        if (context_above > 0 && inputTokens <= context_above) continue;
        if (best === null || isLater(line.price, best.price)) best = line;
      }
      return best;
    },
  };
}

/**
 * What a step cost, exactly. Null when a kind that was used has no known price: half a cost would look like a whole
 * one. `reasoning` is part of `output` and not charged again.
 */
export function costOf(
  usage: Pick<DisjointUsage, 'input_uncached' | Exclude<PricedKind, 'input'>>,
  { perToken }: Pick<ResolvedPrice, 'perToken'>,
): Picodollars | null {
  let sum = 0n;
  for (const kind of PRICED_KINDS) {
    const tokens = kind === 'input' ? usage.input_uncached : usage[kind];
    if (tokens === 0) continue;
    const amount = perToken[kind];
    if (amount === null) return null;
    sum += BigInt(tokens) * amount;
  }
  return sum;
}

function isLater(a: Price, b: Price): boolean {
  return a.valid_from === b.valid_from ? a.context_above > b.context_above : a.valid_from > b.valid_from;
}

function priceId(price: Price): string {
  const day = new Date(price.valid_from).toISOString().replace('T00:00:00.000Z', '');
  const tier = price.context_above > 0 ? `>${price.context_above}` : '';
  return `${price.provider}/${price.model}@${day}${tier}`;
}

function prepare(price: Price): ResolvedPrice {
  const price_id = priceId(price);
  if (price.currency !== 'USD') {
    throw new Error(`Price of ${price_id} is in ${price.currency}; the ledger adds up USD only. Convert it.`);
  }
  const amount = (kind: PricedKind): Picodollars | null => {
    const text = price[kind];
    if (text === null) return null;
    try {
      return pricePerToken(text);
    } catch (cause) {
      throw new Error(`Price of ${price_id}, ${kind}: ${(cause as Error).message}`, { cause });
    }
  };
  const perToken = {
    input: amount('input'),
    cache_read: amount('cache_read'),
    cache_write_5m: amount('cache_write_5m'),
    cache_write_1h: amount('cache_write_1h'),
    output: amount('output'),
  };
  return { price_id, price, perToken };
}
