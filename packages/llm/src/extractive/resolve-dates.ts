import { offsetMinutes } from '../zone-offset.js';
import type { LanguageRules } from './language-rules.js';

export interface ResolvedDate {
  /** As written. */
  text: string;
  index: number;
  /** Milliseconds since 1970; the end of that day where no hour was said. */
  until: number;
  /** A weekday, a day of a month or a date in numbers; not `tomorrow` or `in two weeks`. */
  isCalendar: boolean;
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** `in two weeks` is a date; `7 minutes` and `one day` are lengths. */
const FORWARD =
  /^(?:in|within|after|next|this|through|через|за|протягом|в течение|наступ|следующ|цьо|це|эт)/iu;

/**
 * Dates of a sentence, resolved against the time of its message in the conversation's time zone (`on Friday` said on
 * a Wednesday is two days later; a day without a year lies ahead). Lengths of time and what is past at `at` are left out: neither ends anything. An
 * unknown time zone counts as UTC.
 */
export function resolveDates(
  sentence: string,
  rules: LanguageRules,
  at: number,
  timeZone: string | null,
): ResolvedDate[] {
  const offset = offsetMinutes(at, timeZone);
  const found = rules.parseDates(sentence, { instant: new Date(at), timezone: offset });
  const dates = found.map((date) => {
    const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute'): number => date.start.get(name) ?? 0;
    const day = Date.UTC(part('year'), part('month') - 1, part('day'));
    const wall = date.start.isCertain('hour')
      ? day + (part('hour') * 60 + part('minute')) * MINUTE
      : day + DAY - 1;
    // The zone's own offset on that day: summer time may begin between now and then.
    const until = wall - offsetMinutes(wall - offset * MINUTE, timeZone) * MINUTE;
    const text = sentence.slice(date.index, date.index + date.text.length);
    const tags = [...date.tags()];
    const isRelative = tags.some((tag) => tag.startsWith('result/relative'));
    const isDay =
      date.start.isCertain('weekday') || (date.start.isCertain('day') && date.start.isCertain('month'));
    const isCalendar = isDay && !isRelative && !tags.some((tag) => /casual/iu.test(tag));
    return { text, index: date.index, until, isCalendar, isLength: isRelative && !FORWARD.test(text) };
  });
  return dates.filter((date) => !date.isLength && date.until >= at);
}
