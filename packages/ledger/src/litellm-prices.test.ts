import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLitellmPrices } from './litellm-prices.js';
import { toDecimal } from './money.js';
import { normalizeUsage } from './normalize-usage.js';
import { costOf, createPriceBook } from './price-book.js';

const validFrom = Date.UTC(2026, 0, 1);
const options = { validFrom, source: 'test' };

/** Entries as LiteLLM writes them. */
const FILE = {
  sample_spec: { input_cost_per_token: 0, litellm_provider: 'one of https://docs.litellm.ai/docs/providers' },
  'claude-sonnet-4-5': {
    litellm_provider: 'anthropic',
    mode: 'chat',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    output_cost_per_token_above_200k_tokens: 2.25e-5,
    cache_read_input_token_cost_above_200k_tokens: 6e-7,
    cache_creation_input_token_cost_above_200k_tokens: 7.5e-6,
    input_cost_per_token_batches: 1.5e-6,
    max_input_tokens: 200_000,
  },
  'gemini/gemini-2.5-flash': {
    litellm_provider: 'gemini',
    input_cost_per_token: 3e-7,
    input_cost_per_audio_token: 1e-6,
    output_cost_per_token: 2.5e-6,
    output_cost_per_reasoning_token: 2.5e-6,
  },
  'azure/gpt-4o': { litellm_provider: 'azure', input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 },
  'text-embedding-3-small': {
    litellm_provider: 'openai',
    input_cost_per_token: 2e-8,
    output_cost_per_token: 0,
  },
  'dall-e-3': { litellm_provider: 'openai', input_cost_per_image: 0.04 },
  'ollama/llama3': { litellm_provider: 'ollama', input_cost_per_token: 0, output_cost_per_token: 0 },
  odd: { litellm_provider: 'openai', input_cost_per_token: -1, output_cost_per_token: 1e-6 },
  fine: { litellm_provider: 'openai', input_cost_per_token: 1.23456789e-7, output_cost_per_token: 1e-6 },
  text: { litellm_provider: 'openai', input_cost_per_token: '0.0000025', output_cost_per_token: 1e-6 },
  nobody: { input_cost_per_token: 1e-6 },
};

describe('the price file of LiteLLM', () => {
  const { prices, left } = readLitellmPrices(FILE, options);
  const book = createPriceBook(prices, []);
  const priceOf = (provider: string, model: string, tokens = 0) =>
    book.resolvePrice(provider, model, validFrom, tokens)?.price;

  it('gives dollars per million of each kind, exactly', () => {
    expect(priceOf('anthropic', 'claude-sonnet-4-5')).toMatchObject({
      input: '3',
      output: '15',
      cache_read: '0.3',
      cache_write_5m: '3.75',
      cache_write_1h: '6',
      context_above: 0,
    });
    expect(priceOf('openai', 'text-embedding-3-small')).toMatchObject({ input: '0.02', output: '0' });
    expect(priceOf('openai', 'text')).toMatchObject({ input: '2.5' });
  });

  it('gives a tier the base price for what it does not name', () => {
    const long = priceOf('anthropic', 'claude-sonnet-4-5', 200_001);
    expect(long).toMatchObject({ context_above: 200_000, input: '6', output: '22.5', cache_write_1h: '6' });
    expect(priceOf('anthropic', 'claude-sonnet-4-5', 200_000)).toMatchObject({ context_above: 0 });
    const usage = normalizeUsage('anthropic', {
      input: 150_000,
      cache_read: 60_000,
      output: 10,
      cache_write_5m: null,
      cache_write_1h: null,
      reasoning: null,
    });
    const resolved = book.resolvePrice('anthropic', 'claude-sonnet-4-5', validFrom, 210_000)!;
    expect(toDecimal(costOf(usage, resolved)!)).toBe('0.936225000000');
  });

  it('takes the provider off the name, and only where it is the provider', () => {
    expect(priceOf('google', 'gemini-2.5-flash')).toMatchObject({ input: '0.3', cache_read: null });
    expect(priceOf('azure', 'gpt-4o')).toBeDefined();
    expect(priceOf('openai', 'gpt-4o')).toBeUndefined();
  });

  it('leaves out what is no price, and says why', () => {
    expect(Object.fromEntries(left.map(({ model, reason }) => [model, reason]))).toEqual({
      'dall-e-3': 'has no price per token',
      'ollama/llama3': 'says 0 for everything',
      odd: 'input_cost_per_token is -1, which is no price',
      fine: 'input_cost_per_token is 1.23456789e-7: finer or greater than the ledger can charge exactly',
      nobody: 'names no litellm_provider',
    });
  });

  it('takes 0 for free when told so', () => {
    const found = readLitellmPrices(FILE, { ...options, free: true });
    expect(found.prices.find((price) => price.model === 'llama3')).toMatchObject({ input: '0', output: '0' });
  });

  it.each([null, [], 'text', 3])('is not %j', (file) => {
    expect(() => readLitellmPrices(file, options)).toThrow('LiteLLM');
  });

  it('moves the point of every price that can be charged, and loses no digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 10n }), (picodollars) => {
        const value = Number(`${picodollars}e-12`);
        const file = { m: { litellm_provider: 'openai', input_cost_per_token: value } };
        const [line] = readLitellmPrices(file, options).prices;
        const resolved = createPriceBook([line!], []).resolvePrice('openai', 'm', validFrom)!;
        expect(resolved.perToken.input).toBe(picodollars);
      }),
    );
  });
});
