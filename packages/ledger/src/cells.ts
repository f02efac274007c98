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
  const day = Math.floor(milliseconds / DAY_MS);
  if (day !== lastDay.number)
    lastDay = { number: day, text: new Date(day * DAY_MS).toISOString().slice(0, 10) };
  const time = milliseconds - day * DAY_MS;
  const seconds = Math.floor(time / 1000);
  const [hour, minute, second] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${lastDay.text} ${TWO[hour]}:${TWO[minute]}:${TWO[second]}.${String(time % 1000).padStart(3, '0')}`;
}

const DAY_MS = 86_400_000;
/** Most rows of a block are of one day: five times as fast as asking Date for each. */
let lastDay = { number: 0, text: '1970-01-01' };
const TWO = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
