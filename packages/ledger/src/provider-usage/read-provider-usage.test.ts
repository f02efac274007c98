import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidUsageError, normalizeUsage } from '../normalize-usage.js';
import { readProviderUsage, type UsageForm } from './read-provider-usage.js';

/** Usage objects as the providers' pages show them, and the disjoint kinds they mean. */
const GOLDEN: [form: UsageForm, provider: string, raw: object, kinds: number[], total: number | null][] = [
  [
    'openai-chat',
    'openai',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 128, audio_tokens: 0, accepted_prediction_tokens: 0 },
    },
    [86, 1920, 0, 0, 300, 128],
    2306,
  ],
  [
    'openai-responses',
    'openai',
    {
      input_tokens: 75,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 1186,
      output_tokens_details: { reasoning_tokens: 1024 },
      total_tokens: 1261,
    },
    [35, 40, 0, 0, 1186, 1024],
    1261,
  ],
  [
    'anthropic',
    'anthropic',
    {
      input_tokens: 50,
      cache_read_input_tokens: 100_000,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503,
      service_tier: 'standard',
    },
    [50, 100_000, 148, 100, 503, 0],
    null,
  ],
  [
    'anthropic',
    'anthropic',
    {
      input_tokens: 21,
      cache_creation_input_tokens: 188,
      cache_read_input_tokens: 0,
      cache_creation: null,
      output_tokens: 393,
    },
    [21, 0, 188, 0, 393, 0],
    null,
  ],
  [
    'gemini',
    'gemini',
    {
      promptTokenCount: 1000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 160,
      toolUsePromptTokenCount: 25,
      totalTokenCount: 1225,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
    },
    [425, 600, 0, 0, 200, 160],
    1225,
  ],
  ['gemini', 'google', { prompt_token_count: 9, total_token_count: 9 }, [9, 0, 0, 0, 0, 0], 9],
  [
    'deepseek',
    'deepseek',
    {
      prompt_tokens: 500,
      prompt_cache_hit_tokens: 448,
      prompt_cache_miss_tokens: 52,
      completion_tokens: 90,
      total_tokens: 590,
      prompt_tokens_details: { cached_tokens: 448 },
      completion_tokens_details: { reasoning_tokens: 70 },
    },
    [52, 448, 0, 0, 90, 70],
    590,
  ],
  [
    'openrouter',
    'openrouter',
    {
      prompt_tokens: 10_339,
      prompt_tokens_details: { cached_tokens: 10_318, cache_write_tokens: 15 },
      completion_tokens: 60,
      completion_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10_399,
      cost: 0.95,
    },
    [6, 10_318, 15, 0, 60, 0],
    10_399,
  ],
  // Reasoning beside the output, as the total tells: Gemini's OpenAI form, xAI.
  [
    'openai-chat',
    'gemini',
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    [32, 0, 0, 0, 103, 94],
    135,
  ],
  [
    'otel',
    'otel',
    {
      'gen_ai.usage.input_tokens': 1200,
      'gen_ai.usage.output_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 700,
      'gen_ai.usage.cache_creation.input_tokens': 200,
    },
    [300, 700, 200, 0, 100, 0],
    null,
  ],
  [
    'otel',
    'otel',
    { 'gen_ai.usage.prompt_tokens': 7, 'gen_ai.usage.completion_tokens': 2 },
    [7, 0, 0, 0, 2, 0],
    null,
  ],
];

describe('the usage of a provider', () => {
  it.each(GOLDEN)(
    '%s of %s becomes disjoint kinds whose sum is the total',
    (form, provider, raw, kinds, total) => {
      const { usage, semantics } = readProviderUsage(form, raw);
      const made = normalizeUsage(provider, usage, semantics);
      expect([
        made.input_uncached,
        made.cache_read,
        made.cache_write_5m,
        made.cache_write_1h,
        made.output,
        made.reasoning,
      ]).toEqual(kinds);
      expect(made.flags).toEqual([]);
      const sum = kinds.slice(0, 5).reduce((a, b) => a + b, 0);
      if (total !== null) expect(sum).toBe(total);
    },
  );

  it.each<[string, UsageForm, object]>([
    [
      'parts that are not the total',
      'openai-chat',
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 11 },
    ],
    ['a total that counts something else', 'gemini', { promptTokenCount: 10, totalTokenCount: 99 }],
    [
      'hits and misses that are not the prompt',
      'deepseek',
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 4 },
    ],
    [
      'lifetimes that are not all cache writes',
      'anthropic',
      {
        input_tokens: 1,
        output_tokens: 1,
        cache_creation_input_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 9 },
      },
    ],
  ])('is flagged and kept as reported: %s', (_, form, raw) => {
    const { usage, semantics } = readProviderUsage(form, raw);
    const made = normalizeUsage(form, usage, semantics);
    expect(made.flags).toContain('semantics_unknown');
    expect(made.output).toBe(usage.output);
  });

  it('flags a cache greater than the input that should include it', () => {
    const raw = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } };
    const { usage, semantics } = readProviderUsage('openai-chat', raw);
    expect(normalizeUsage('openai', usage, semantics).flags).toEqual(['cache_exceeds_input']);
  });

  it.each([null, undefined, [], 'usage', {}, { prompt_tokens: 3 }])('refuses %j as a usage', (raw) => {
    expect(() => readProviderUsage('openai-chat', raw)).toThrow(InvalidUsageError);
  });

  it('never lets a bad number into a count, whatever field it stands in', () => {
    const bad = fc.constantFrom<unknown>(
      Number.NaN,
      -1,
      1.5,
      '12',
      'many',
      true,
      {},
      Number.POSITIVE_INFINITY,
      1e15,
    );
    const golden = GOLDEN.filter(([form]) => form !== 'otel');
    fc.assert(
      fc.property(fc.constantFrom(...golden), fc.nat(), bad, (one, at, value) => {
        const [form, , raw] = one;
        const names = Object.keys(raw).filter(
          (name) => /token/i.test(name) && typeof (raw as Record<string, unknown>)[name] === 'number',
        );
        const name = names[at % names.length] as string;
        expect(() => readProviderUsage(form, { ...raw, [name]: value }), name).toThrow(InvalidUsageError);
      }),
    );
  });
});
