import type { UsageReading } from './read-provider-usage.js';
import { countOf, type Fields, requiredCountOf } from './usage-fields.js';

/**
 * Attributes of a GenAI span (OpenTelemetry semantic conventions): `input_tokens` "SHOULD include all types of input
 * tokens, including cached tokens", and the two cache attributes are parts of it. Names before 1.27 were
 * `prompt_tokens` and `completion_tokens`. An embedding has no output.
 */
export function readOtelUsage(attributes: Fields): UsageReading {
  return {
    usage: {
      input: requiredCountOf(attributes, 'gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'),
      output: countOf(attributes, 'gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens') ?? 0,
      cache_read: countOf(attributes, 'gen_ai.usage.cache_read.input_tokens'),
      cache_write_5m: countOf(attributes, 'gen_ai.usage.cache_creation.input_tokens'),
      cache_write_1h: null,
      reasoning: countOf(
        attributes,
        'gen_ai.usage.reasoning.output_tokens',
        'gen_ai.usage.output_tokens.reasoning',
      ),
    },
    semantics: 'input_includes_cache',
    total: countOf(attributes, 'gen_ai.usage.total_tokens'),
  };
}
