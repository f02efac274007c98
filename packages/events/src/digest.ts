import { createHash } from 'node:crypto';
import type { InputEvent } from './input.js';
import { writeJson } from './parse-json.js';

/**
 * Hash of what a producer sent, for telling a repetition (same id, same digest) from a conflict (same id, other
 * content). What the API adds (clock, tenant, strategy) is not part of it, nor is the order of fields at any depth.
 */
export function inputDigest(input: InputEvent): Buffer {
  const { seq, ...rest } = input;
  return createHash('sha256')
    .update(`${seq ?? ''}\n${writeJson(sorted(rest))}`)
    .digest();
}

/** The value with the keys of its objects in one order; what is no plain object or array (a kept number) as it is. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  // fromEntries defines keys, so that __proto__ stays one
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]): [string, unknown] => [key, sorted(member)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
