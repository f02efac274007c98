/** A value as a line of JSONCompactEachRow carries it; big numbers and decimals go as text. */
export type Cell = string | number | boolean | null;

/** A field of an event that the ledger cannot keep as it is. */
export class InvalidRowError extends Error {
  override name = 'InvalidRowError';
}

/** Throws InvalidRowError unless `value` is a whole number from 0 to `max`. */
export function assertCount(field: string, value: unknown, max: number = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return;
  throw new InvalidRowError(`${field} is ${String(value)}; it must be a whole number from 0 to ${max}.`);
}

/** 2262-01-01: the last whole year every precision of DateTime64 can hold. */
const LAST_MOMENT = Date.UTC(2262, 0, 1) - 1;

/** Throws InvalidRowError unless `value` is milliseconds between 1970 and 2262. */
export function assertMoment(field: string, value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_MOMENT) return;
  throw new InvalidRowError(
    `${field} is ${String(value)}; it must be whole milliseconds since 1970, up to the year 2262.`,
  );
}

/** Milliseconds as `2025-09-29 10:00:00.123`, UTC: bare digits would be read as seconds or milliseconds by their length. */
export function momentCell(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '');
}
