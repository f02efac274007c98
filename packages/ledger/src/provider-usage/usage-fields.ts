import { InvalidUsageError, MAX_TOKENS } from '../normalize-usage.js';

/** A provider's usage object, or a part of it, read field by field. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object under the first of `names` that is there; an empty one where none is. */
export function partOf(fields: Fields, ...names: string[]): Fields {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  }
  return {};
}

/** The count under the first of `names` that is there; null where none is. Throws for what is no count of tokens. */
export function countOf(fields: Fields, ...names: string[]): number | null {
  for (const name of names) {
    const value = fields[name];
    if (value === null || value === undefined) continue;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS) {
      return value;
    }
    const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
    throw new InvalidUsageError(
      `${name} is ${shown}; a count of tokens is a whole number from 0 to ${MAX_TOKENS}. Mend what reports it.`,
    );
  }
  return null;
}

/** As `countOf`, of a count that every report must have. */
export function requiredCountOf(fields: Fields, ...names: string[]): number {
  const count = countOf(fields, ...names);
  if (count !== null) return count;
  throw new InvalidUsageError(`The usage has no ${names[0]}: it is not of the form that was named.`);
}
