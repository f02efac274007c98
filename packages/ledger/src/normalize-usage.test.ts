import type { Usage } from '@palimpsest/events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidUsageError, MAX_TOKENS, normalizeUsage } from './normalize-usage.js';

const usage = (counts: Partial<Usage>): Usage => ({
  input: 0,
  output: 0,
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
  reasoning: null,
  ...counts,
});

describe('normalizeUsage, by provider', () => {
  it('takes OpenAI cached_tokens and reasoning_tokens as parts', () => {
    // {"prompt_tokens":2006,"completion_tokens":300,"prompt_tokens_details":{"cached_tokens":1920},
    //  "completion_tokens_details":{"reasoning_tokens":128}}
    const made = normalizeUsage(
      'openai',
      usage({ input: 2006, output: 300, cache_read: 1920, reasoning: 128 }),
    );
    expect(made).toEqual({
      input_uncached: 86,
      cache_read: 1920,
      cache_write_5m: 0,
      cache_write_1h: 0,
      output: 300,
      reasoning: 128,
      semantics: 'input_includes_cache',
      flags: [],
    });
  });

  it('takes Anthropic input as what the cache did not serve, with both kinds of cache writes', () => {
    // {"input_tokens":50,"cache_read_input_tokens":100000,"cache_creation":
    //  {"ephemeral_5m_input_tokens":148,"ephemeral_1h_input_tokens":100},"output_tokens":503}
    const made = normalizeUsage(
      'anthropic',
      usage({ input: 50, output: 503, cache_read: 100_000, cache_write_5m: 148, cache_write_1h: 100 }),
    );
    expect(made).toMatchObject({
      input_uncached: 50,
      cache_read: 100_000,
      cache_write_5m: 148,
      cache_write_1h: 100,
    });
    expect(made.flags).toEqual([]);
  });

  it.each(['gemini', 'google', 'deepseek', 'openrouter', 'otel', 'OpenAI'])(
    'takes the cache of %s as part',
    (name) => {
      expect(normalizeUsage(name, usage({ input: 1000, output: 1, cache_read: 900 })).input_uncached).toBe(
        100,
      );
    },
  );

  it('believes the event over the provider', () => {
    const counts = usage({ input: 1000, output: 1, cache_read: 900 });
    expect(normalizeUsage('anthropic', counts, 'input_includes_cache').input_uncached).toBe(100);
    expect(normalizeUsage('openai', counts, 'input_excludes_cache').input_uncached).toBe(1000);
  });

  it('flags an unlisted provider only when there is something to get wrong', () => {
    expect(normalizeUsage('homegrown', usage({ input: 10, output: 1 })).flags).toEqual([]);
    expect(normalizeUsage('homegrown', usage({ input: 10, output: 1, cache_read: 0 })).flags).toEqual([]);
    const made = normalizeUsage('homegrown', usage({ input: 10, output: 1, cache_read: 4 }));
    expect(made).toMatchObject({ input_uncached: 6, cache_read: 4, flags: ['semantics_unknown'] });
    expect(normalizeUsage('homegrown', usage({ input: 4, output: 1, cache_read: 10 })).input_uncached).toBe(
      4,
    );
  });
});

describe('normalizeUsage, contradictions', () => {
  it('flags a cache greater than the input that should include it, and keeps both as reported', () => {
    const made = normalizeUsage(
      'openai',
      usage({ input: 100, output: 1, cache_read: 80, cache_write_5m: 30 }),
    );
    expect(made).toMatchObject({ input_uncached: 100, cache_read: 80, cache_write_5m: 30 });
    expect(made.flags).toEqual(['cache_exceeds_input']);
  });

  it('flags reasoning greater than the output that should include it, and loses neither', () => {
    const made = normalizeUsage('openai', usage({ input: 1, output: 5, reasoning: 9 }));
    expect(made).toMatchObject({ output: 14, reasoning: 9, flags: ['reasoning_exceeds_output'] });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5, 2 ** 53, MAX_TOKENS + 1, 'many', '12', true, {}])(
    'refuses %s as a count, in every field',
    (bad) => {
      for (const field of Object.keys(usage({}))) {
        const counts = { ...usage({ input: 1, output: 1 }), [field]: bad } as Usage;
        expect(() => normalizeUsage('openai', counts), field).toThrow(InvalidUsageError);
        expect(() => normalizeUsage('openai', counts), field).toThrow(`usage.${field}`);
      }
    },
  );

  it('refuses a missing input or output', () => {
    expect(() => normalizeUsage('openai', { ...usage({}), input: null as never })).toThrow(InvalidUsageError);
    expect(() => normalizeUsage('openai', { ...usage({}), output: undefined as never })).toThrow(
      InvalidUsageError,
    );
  });

  it('never makes a negative count, loses no token unflagged, and keeps reasoning within output', () => {
    const count = fc.integer({ min: 0, max: 3000 });
    const part = fc.option(count);
    fc.assert(
      fc.property(
        fc.record({
          input: count,
          output: count,
          cache_read: part,
          cache_write_5m: part,
          cache_write_1h: part,
          reasoning: part,
        }),
        fc.constantFrom('openai', 'anthropic', 'homegrown'),
        fc.constantFrom(null, 'input_includes_cache', 'input_excludes_cache', 'unknown'),
        (counts, provider, semantics) => {
          const made = normalizeUsage(provider, counts, semantics);
          const kinds = [
            made.input_uncached,
            made.cache_read,
            made.cache_write_5m,
            made.cache_write_1h,
            made.output,
          ];
          expect(Math.min(...kinds)).toBeGreaterThanOrEqual(0);
          expect(made.reasoning).toBeLessThanOrEqual(made.output);
          const cached = made.cache_read + made.cache_write_5m + made.cache_write_1h;
          const whole = made.semantics === 'input_excludes_cache' ? counts.input + cached : counts.input;
          const cacheFlags = made.flags.filter((flag) => flag !== 'reasoning_exceeds_output');
          if (cacheFlags.length === 0) expect(made.input_uncached + cached).toBe(whole);
        },
      ),
    );
  });
});
