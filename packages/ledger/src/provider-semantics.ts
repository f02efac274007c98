import type { UsageSemantics } from '@palimpsest/events';

interface Provider {
  /** The name prices are kept under: several names of one biller are one provider. */
  billing: string;
  semantics: UsageSemantics;
}

const includes = (billing: string): Provider => ({ billing, semantics: 'input_includes_cache' });
const excludes = (billing: string): Provider => ({ billing, semantics: 'input_excludes_cache' });

/**
 * What each provider's usage says about cached tokens, by the name a step carries (any case, otherwise exact).
 * - OpenAI, chat and responses: `cached_tokens` is a detail of `prompt_tokens` / `input_tokens`.
 * - Anthropic: `input_tokens` is what was neither read from nor written to the cache.
 * - Gemini: `cachedContentTokenCount` is within `promptTokenCount`.
 * - DeepSeek: `prompt_tokens` = `prompt_cache_hit_tokens` + `prompt_cache_miss_tokens`.
 * - OpenRouter: normalized to OpenAI's form.
 * - OTel GenAI: `gen_ai.usage.input_tokens` "SHOULD include all types of input tokens, including cached tokens".
 * Azure, Bedrock and other resellers bill by their own lists, so they are not names of the maker.
 */
const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ['openai', includes('openai')],
  ['anthropic', excludes('anthropic')],
  ['gemini', includes('gemini')],
  ['google', includes('gemini')],
  ['gcp.gemini', includes('gemini')],
  ['deepseek', includes('deepseek')],
  ['openrouter', includes('openrouter')],
  ['azure', includes('azure')],
  ['azure.ai.openai', includes('azure')],
  ['otel', includes('otel')],
  ['palimpsest', includes('palimpsest')],
]);

/** `unknown` for a provider that is not in the list. */
export function impliedSemantics(provider: string): UsageSemantics {
  return PROVIDERS.get(provider.toLowerCase())?.semantics ?? 'unknown';
}

/** The name a provider's prices are kept under; an unlisted provider is its own. */
export function billingProvider(provider: string): string {
  const name = provider.toLowerCase();
  return PROVIDERS.get(name)?.billing ?? name;
}

/** The billing name for metrics, whose labels must stay few: `other` for a provider that is not in the list. */
export function providerLabel(provider: string): string {
  return PROVIDERS.get(provider.toLowerCase())?.billing ?? 'other';
}
