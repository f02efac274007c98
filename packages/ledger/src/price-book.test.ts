import { describe, expect, it } from 'vitest';
import { toDecimal } from './money.js';
import { normalizeUsage } from './normalize-usage.js';
import { costOf, createPriceBook, type Price, type ResolvedPrice } from './price-book.js';
import { readSeedPrices } from './seed-prices.js';

const line = (changes: Partial<Price>): Price => ({
  provider: 'acme',
  model: 'm-mid',
  valid_from: 0,
  valid_until: null,
  context_above: 0,
  currency: 'USD',
  input: '3',
  cache_read: '0.3',
  cache_write_5m: '3.75',
  cache_write_1h: '6',
  output: '15',
  source: 'test',
  ...changes,
});

const priced = (price: Price): ResolvedPrice =>
  createPriceBook([price], []).resolvePrice(price.provider, price.model, price.valid_from)!;

describe('the price of a step', () => {
  it('charges cached tokens once (case 14): 300 uncached of 1200, 0.003360 USD', () => {
    const usage = normalizeUsage(
      'acme',
      { input: 1200, output: 100, cache_write_5m: 200, cache_read: 700, cache_write_1h: null, reasoning: 60 },
      'input_includes_cache',
    );
    expect(usage.input_uncached).toBe(300);
    expect(toDecimal(costOf(usage, priced(line({})))!)).toBe('0.003360000000');
  });

  it('is unknown, not smaller, when a kind that was used has no price', () => {
    const price = priced(line({ cache_write_1h: null }));
    const counts = { input: 10, output: 1, cache_read: null, cache_write_5m: null, reasoning: null };
    expect(costOf(normalizeUsage('anthropic', { ...counts, cache_write_1h: 5 }), price)).toBeNull();
    expect(costOf(normalizeUsage('anthropic', { ...counts, cache_write_1h: 0 }), price)).not.toBeNull();
  });

  it('of a free model is zero, not unknown', () => {
    const book = createPriceBook(readSeedPrices().prices, []);
    const usage = normalizeUsage('palimpsest', {
      input: 5000,
      output: 90,
      cache_read: null,
      cache_write_5m: null,
      cache_write_1h: null,
      reasoning: null,
    });
    expect(costOf(usage, book.resolvePrice('palimpsest', 'extractive', Date.now())!)).toBe(0n);
  });
});

describe('resolvePrice', () => {
  const { prices, aliases } = readSeedPrices();
  const seed = createPriceBook(prices, aliases);
  const at = Date.UTC(2026, 0, 1);

  it('finds every model of the samples', () => {
    for (const [provider, model] of [
      ['openai', 'gpt-4o'],
      ['openai', 'gpt-4o-mini'],
      ['openai', 'gpt-4.1'],
      ['openai', 'gpt-4.1-mini'],
      ['openai', 'o4-mini'],
      ['anthropic', 'claude-sonnet-4-5'],
      ['anthropic', 'claude-haiku-4-5'],
      ['google', 'gemini-2.5-flash'],
      ['palimpsest', 'extractive'],
    ] as const) {
      expect(seed.resolvePrice(provider, model, at), model).not.toBeNull();
    }
  });

  it('finds by an explicit alias and never by a part of a name', () => {
    expect(seed.resolvePrice('openai', 'gpt-4o-2024-11-20', at)?.price_id).toBe('openai/gpt-4o@2024-10-02');
    for (const model of ['gpt-4', 'gpt-4o-audio-preview', 'ft:gpt-4o:acme', 'GPT-4o', ' gpt-4o', '']) {
      expect(seed.resolvePrice('openai', model, at), model).toBeNull();
    }
    expect(seed.resolvePrice('azure', 'gpt-4o', at)).toBeNull();
    expect(seed.resolvePrice('anthropic', 'gpt-4o', at)).toBeNull();
  });

  it('takes the price valid at that time, and none before the first or after the end', () => {
    const book = createPriceBook(
      [line({ valid_from: 100, input: '1' }), line({ valid_from: 200, input: '2', valid_until: 300 })],
      [],
    );
    expect(book.resolvePrice('acme', 'm-mid', 99)).toBeNull();
    expect(book.resolvePrice('acme', 'm-mid', 100)?.price.input).toBe('1');
    expect(book.resolvePrice('acme', 'm-mid', 199)?.price.input).toBe('1');
    expect(book.resolvePrice('acme', 'm-mid', 200)?.price.input).toBe('2');
    expect(book.resolvePrice('acme', 'm-mid', 300)?.price.input).toBe('1');
  });

  const inputPrice = (tokens: number): string | null | undefined =>
    seed.resolvePrice('anthropic', 'claude-sonnet-4-5', at, tokens)?.price.input;
  it('takes the tier of the context length', () => {
    expect(inputPrice(200_000)).toBe('3.00');
    expect(inputPrice(200_001)).toBe('6.00');
  });

  it('prefers a model of that very name to an alias, and does not follow aliases of aliases', () => {
    const book = createPriceBook(
      [line({ model: 'a', input: '1' }), line({ model: 'b', input: '2' })],
      [
        { provider: 'acme', alias: 'a', model: 'b' },
        { provider: 'acme', alias: 'c', model: 'nobody' },
      ],
    );
    expect(book.resolvePrice('acme', 'a', 0)?.price.input).toBe('1');
    expect(book.resolvePrice('acme', 'c', 0)).toBeNull();
  });

  it('does not depend on the order of the list', () => {
    const reversed = createPriceBook(prices.toReversed(), aliases);
    expect(reversed.resolvePrice('anthropic', 'claude-sonnet-4-5', at, 300_000)?.price_id).toBe(
      'anthropic/claude-sonnet-4-5@2025-09-29>200000',
    );
  });

  it('refuses a list with an amount that is no price, or in another currency', () => {
    expect(() => createPriceBook([line({ output: '1e-6' })], [])).toThrow('acme/m-mid@1970-01-01, output');
    expect(() => createPriceBook([line({ currency: 'EUR' })], [])).toThrow('EUR');
  });
});
