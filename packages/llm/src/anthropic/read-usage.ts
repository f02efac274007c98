import type { Usage } from '@palimpsest/events';

/**
 * Usage as the Messages API reports it: `input_tokens` excludes what was read from or written to the cache. With
 * compaction the counts of its own sampling are in `iterations` only, so those are summed. Null where the server did
 * not say or said nonsense: no number is made up.
 */
export function readUsage(usage: unknown): Usage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const { iterations } = usage as { iterations?: unknown };
  const parts = Array.isArray(iterations) && iterations.length > 0 ? iterations : [usage];
  const read = parts.map(readPart);
  if (read.some((part) => part === null)) return null;
  return (read as Usage[]).reduce((sum, part) => ({
    input: sum.input + part.input,
    output: sum.output + part.output,
    cache_read: add(sum.cache_read, part.cache_read),
    cache_write_5m: add(sum.cache_write_5m, part.cache_write_5m),
    cache_write_1h: add(sum.cache_write_1h, part.cache_write_1h),
    reasoning: null,
  }));
}

function readPart(part: unknown): Usage | null {
  if (typeof part !== 'object' || part === null) return null;
  const fields = part as Record<string, unknown>;
  const input = count(fields['input_tokens']);
  const output = count(fields['output_tokens']);
  if (input === null || output === null) return null;
  const written = fields['cache_creation'] as Record<string, unknown> | null | undefined;
  const long = count(written?.['ephemeral_1h_input_tokens']);
  return {
    input,
    output,
    cache_read: count(fields['cache_read_input_tokens']),
    // Without the split by lifetime everything written lives five minutes, the API's default.
    cache_write_5m:
      count(written?.['ephemeral_5m_input_tokens']) ?? count(fields['cache_creation_input_tokens']),
    cache_write_1h: long,
    reasoning: null,
  };
}

function add(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
