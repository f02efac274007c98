import type { Usage } from '@palimpsest/events';

/**
 * Usage as an OpenAI-compatible server reports it: `prompt_tokens` includes cached tokens, `completion_tokens`
 * includes reasoning. Null where the server did not say or said nonsense: no number is made up.
 */
export function readUsage(usage: unknown): Usage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const fields = usage as Record<string, unknown>;
  const input = count(fields['prompt_tokens']);
  const output = count(fields['completion_tokens']);
  if (input === null || output === null) return null;
  const promptDetails = fields['prompt_tokens_details'] as Record<string, unknown> | null | undefined;
  const outputDetails = fields['completion_tokens_details'] as Record<string, unknown> | null | undefined;
  return {
    input,
    output,
    cache_read: count(promptDetails?.['cached_tokens']),
    cache_write_5m: null,
    cache_write_1h: null,
    reasoning: count(outputDetails?.['reasoning_tokens']),
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
