import type { UsageReading } from './read-provider-usage.js';
import { countOf, type Fields, partOf, requiredCountOf } from './usage-fields.js';

/**
 * Anthropic's `input_tokens` is what was neither read from nor written to the cache; there is no total.
 * `cache_creation` splits `cache_creation_input_tokens` by lifetime; without it, writes are of the default one, five
 * minutes.
 */
export function readAnthropicUsage(fields: Fields): UsageReading {
  const split = partOf(fields, 'cache_creation');
  const written = countOf(fields, 'cache_creation_input_tokens');
  const shortLived = countOf(split, 'ephemeral_5m_input_tokens');
  const longLived = countOf(split, 'ephemeral_1h_input_tokens');
  const isSplit = shortLived !== null || longLived !== null;
  return {
    usage: {
      input: requiredCountOf(fields, 'input_tokens'),
      output: requiredCountOf(fields, 'output_tokens'),
      cache_read: countOf(fields, 'cache_read_input_tokens'),
      cache_write_5m: isSplit ? shortLived : written,
      cache_write_1h: longLived,
      reasoning: null,
    },
    semantics: 'input_excludes_cache',
    total: null,
    contradicts: isSplit && written !== null && written !== (shortLived ?? 0) + (longLived ?? 0),
  };
}
