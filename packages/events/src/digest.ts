import { createHash } from 'node:crypto';
import type { InputEvent } from './input.js';
import { writeJson } from './parse-json.js';

/**
 * Hash of what a producer sent, for telling a repetition (same id, same digest) from a conflict (same id, other
 * content). What the API adds (clock, tenant, strategy) is not part of it, nor is the order of fields.
 */
export function inputDigest(input: InputEvent): Buffer {
  const { seq, ...rest } = input;
  return createHash('sha256')
    .update(`${seq ?? ''}\n${writeJson(rest)}`)
    .digest();
}
