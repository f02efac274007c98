import type { UsageReading } from './read-provider-usage.js';
import { countOf, type Fields, partOf, requiredCountOf } from './usage-fields.js';

/**
 * Chat completions (`prompt_tokens`) and responses (`input_tokens`), and who speaks them: DeepSeek tells hits and
 * misses of its cache, whose sum is the prompt; OpenRouter tells cache writes beside the reads.
 */
export function readOpenAiUsage(fields: Fields): UsageReading {
  const input = partOf(fields, 'prompt_tokens_details', 'input_tokens_details');
  const output = partOf(fields, 'completion_tokens_details', 'output_tokens_details');
  const hit = countOf(fields, 'prompt_cache_hit_tokens');
  const miss = countOf(fields, 'prompt_cache_miss_tokens');
  const told = countOf(input, 'cached_tokens');
  const prompt = requiredCountOf(fields, 'prompt_tokens', 'input_tokens');
  return {
    usage: {
      input: prompt,
      output: requiredCountOf(fields, 'completion_tokens', 'output_tokens'),
      cache_read: hit ?? told,
      cache_write_5m: countOf(input, 'cache_write_tokens', 'cache_creation_tokens'),
      cache_write_1h: null,
      reasoning: countOf(output, 'reasoning_tokens'),
    },
    semantics: 'input_includes_cache',
    total: countOf(fields, 'total_tokens'),
    contradicts:
      (hit !== null && miss !== null && hit + miss !== prompt) ||
      (hit !== null && told !== null && hit !== told),
  };
}
