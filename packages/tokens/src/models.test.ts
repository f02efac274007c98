import { describe, expect, it } from 'vitest';
import { modelTokenizer, UNKNOWN_MODEL_MARGIN } from './models.js';

describe('the table of models', () => {
  it.each([
    ['gpt-4o-2024-08-06', 'o200k_base'],
    ['openai/gpt-4.1-mini', 'o200k_base'],
    ['ft:gpt-4o-mini-2024-07-18:acme::7p4lURel', 'o200k_base'],
    ['o1', 'o200k_base'],
    ['o3-mini', 'o200k_base'],
    ['gpt-5.1-codex', 'o200k_base'],
    ['gpt-oss-120b', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-4-turbo-2024-04-09', 'cl100k_base'],
    ['GPT-3.5-turbo', 'cl100k_base'],
    ['azure/gpt-35-turbo', 'cl100k_base'],
    ['text-embedding-3-small', 'cl100k_base'],
  ] as const)('knows the published encoding of %s', (model, encoding) => {
    expect(modelTokenizer(model)).toEqual({ encoding, margin: 1, known: true });
  });

  it.each([
    'claude-3-5-sonnet-20241022',
    'claude-3-haiku',
    'claude-sonnet-4-20250514',
    'claude-opus-4-1',
    'claude-sonnet-4-5-20250929',
    'anthropic/claude-opus-4-6',
    'us.anthropic.claude-3-haiku-20240307-v1:0',
  ])('puts a margin on %s', (model) => {
    expect(modelTokenizer(model)).toEqual({ encoding: 'cl100k_base', margin: 1.35, known: true });
  });

  it.each(['claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5', 'claude-opus-4.7'])(
    'puts the greater margin of the newer tokenizer on %s',
    (model) => {
      expect(modelTokenizer(model).margin).toBe(1.85);
    },
  );

  it('declares a safe margin for a model it does not know', () => {
    for (const model of ['my-model', '', 'o', 'opus', 'gpt-40000'])
      expect(modelTokenizer(model)).toEqual({
        encoding: 'o200k_base',
        margin: UNKNOWN_MODEL_MARGIN,
        known: false,
      });
  });

  it('takes o200k_base as it is when no model is given', () => {
    expect(modelTokenizer(null)).toEqual({ encoding: 'o200k_base', margin: 1, known: false });
  });
});
