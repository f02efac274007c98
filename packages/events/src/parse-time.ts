/** 9999-12-31T23:59:59.999Z, the last time that every store of ours can hold. */
export const LAST_TIME = 253_402_300_799_999;

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Milliseconds since 1970 of an RFC 3339 time, finer fractions cut off; undefined where it is none, or not from 1970
 * to 9999. Not Date.parse, which takes February 30 for March 2 and other writings by guess.
 */
export function parseTime(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const [, , , , , , , fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = match;
  const date = new Date(Date.UTC(year as number, (month as number) - 1, day));
  const isDate = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  // second 60 is a leap second; it counts as the next one
  const isTime = (hour as number) < 24 && (minute as number) < 60 && (second as number) <= 60;
  if (!isDate || !isTime || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  // Date.UTC takes the years 0 to 99 for 1900 to 1999
  if ((year as number) < 1969) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60_000 : 60_000);
  const clock = (((hour as number) * 60 + (minute as number)) * 60 + (second as number)) * 1000;
  const time = date.getTime() + clock + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset;
  return time >= 0 && time <= LAST_TIME ? time : undefined;
}
