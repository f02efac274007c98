import type { Usage, UsageSemantics } from '@palimpsest/events';
import { impliedSemantics } from './provider-semantics.js';

/** Token counts by kind. All kinds are disjoint but `reasoning`, which lies within `output`. Never negative. */
export interface DisjointUsage {
  input_uncached: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  output: number;
  reasoning: number;
  /** What the input count was taken to mean. */
  semantics: UsageSemantics;
  /** Sorted. Empty = nothing contradicts. */
  flags: UsageFlag[];
}

export type UsageFlag =
  /** Cached tokens are more than the input said to include them. */
  | 'cache_exceeds_input'
  /** Reasoning tokens are more than the output said to include them. */
  | 'reasoning_exceeds_output'
  /**
   * There are cached tokens, and neither the event nor the provider says whether the input includes them; or the event
   * says itself that its counts contradict each other (see `readProviderUsage`).
   */
  | 'semantics_unknown';

/** A count that cannot be one: a string, NaN, negative, with a fraction, or beyond `MAX_TOKENS`. */
export class InvalidUsageError extends Error {
  override name = 'InvalidUsageError';
}

/**
 * Greatest count taken for one call: far above any model, and low enough that a UInt64 sum over ten million such rows
 * does not wrap.
 */
export const MAX_TOKENS = 1_000_000_000_000;

/**
 * Makes a provider's counts disjoint. `semantics` null = as the provider implies.
 *
 * A part greater than the whole that is said to include it cannot be within it. Then nothing is clamped and nothing
 * dropped: whole and part are read as disjoint, every count is kept as reported, and the row is flagged. Where the
 * semantics are unknown, the input is read as including the cache if it can (most providers do), and flagged.
 * Throws InvalidUsageError for a value that is no count.
 */
export function normalizeUsage(
  provider: string,
  usage: Usage,
  semantics: UsageSemantics | null = null,
): DisjointUsage {
  const input = count('input', usage.input);
  const output = count('output', usage.output);
  const cache_read = optionalCount('cache_read', usage.cache_read);
  const cache_write_5m = optionalCount('cache_write_5m', usage.cache_write_5m);
  const cache_write_1h = optionalCount('cache_write_1h', usage.cache_write_1h);
  const reasoning = optionalCount('reasoning', usage.reasoning);

  const flags: UsageFlag[] = [];
  const meant = semantics ?? impliedSemantics(provider);
  const cached = cache_read + cache_write_5m + cache_write_1h;
  let input_uncached = input;
  if (meant !== 'input_excludes_cache') {
    if (cached <= input) input_uncached = input - cached;
    else if (meant === 'input_includes_cache') flags.push('cache_exceeds_input');
  }
  if (reasoning > output) flags.push('reasoning_exceeds_output');
  if (semantics === 'unknown' || (meant === 'unknown' && cached > 0)) flags.push('semantics_unknown');

  return {
    input_uncached,
    cache_read,
    cache_write_5m,
    cache_write_1h,
    output: reasoning > output ? output + reasoning : output,
    reasoning,
    semantics: meant,
    flags,
  };
}

function optionalCount(field: string, value: number | null | undefined): number {
  return value === null || value === undefined ? 0 : count(field, value);
}

function count(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS) {
    return value === 0 ? 0 : value;
  }
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
  throw new InvalidUsageError(
    `usage.${field} is ${shown}; a count of tokens is a whole number from 0 to ${MAX_TOKENS}. ` +
      'Mend the producer and send the step again.',
  );
}
