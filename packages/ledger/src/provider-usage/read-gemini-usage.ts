import type { UsageReading } from './read-provider-usage.js';
import { countOf, type Fields, requiredCountOf } from './usage-fields.js';

/**
 * Gemini's `usageMetadata`, in either spelling: the prompt includes what came from the cache, prompts made of tool
 * results and thoughts are counted beside prompt and candidates, and the total is the sum of all four. A blocked
 * answer has no candidates.
 */
export function readGeminiUsage(fields: Fields): UsageReading {
  const thoughts = countOf(fields, 'thoughtsTokenCount', 'thoughts_token_count');
  const candidates = countOf(fields, 'candidatesTokenCount', 'candidates_token_count') ?? 0;
  const tools = countOf(fields, 'toolUsePromptTokenCount', 'tool_use_prompt_token_count') ?? 0;
  return {
    usage: {
      input: requiredCountOf(fields, 'promptTokenCount', 'prompt_token_count') + tools,
      output: candidates + (thoughts ?? 0),
      cache_read: countOf(fields, 'cachedContentTokenCount', 'cached_content_token_count'),
      cache_write_5m: null,
      cache_write_1h: null,
      reasoning: thoughts,
    },
    semantics: 'input_includes_cache',
    total: countOf(fields, 'totalTokenCount', 'total_token_count'),
  };
}
