import type { Counter } from './rule.js';

const ENGLISH = new Intl.NumberFormat('en-US');

/** `1240` as `1,240`. */
export function number(value: number): string {
  return ENGLISH.format(value);
}

/** `1 line`, `1,240 lines`. */
export function quantity(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * The longest marker that takes at most `share` of the cap: what was cut and the handle, the handle alone,
 * `[…]`, `…`, nothing. Every caller puts it where the text is missing.
 * @example marker('1,240 lines cut', 'abc123', 100, counter) // '[… 1,240 lines cut; full text: artifact abc123]'
 */
export function marker(
  what: string,
  handle: string | null,
  maxTokens: number,
  counter: Counter,
  share = 0.5,
): string {
  const forms =
    handle === null
      ? [`[… ${what}]`, '[…]', '…']
      : [`[… ${what}; full text: artifact ${handle}]`, `[… artifact ${handle}]`, '[…]', '…'];
  const limit = maxTokens <= 0 ? 0 : Math.max(1, Math.floor(maxTokens * share));
  return forms.find((form) => counter.count(form) <= limit) ?? '';
}

/** A marker as `marker` writes it. The bounded tail keeps the search linear on hostile text. */
const EARLIER = /\[… ([\d,]{1,15}) (lines?|characters?) cut[^\]\n]{0,200}\]/g;

/** What markers of an earlier cut inside `text` stand for, so that a second cut counts it on. */
export function countedEarlier(text: string): { markers: number; lines: number; characters: number } {
  const sum = { markers: 0, lines: 0, characters: 0 };
  if (!text.includes('[…')) return sum;
  for (const [, digits = '0', noun = ''] of text.matchAll(EARLIER)) {
    sum.markers += 1;
    sum[noun.startsWith('line') ? 'lines' : 'characters'] += Number(digits.replaceAll(',', ''));
  }
  return sum;
}
