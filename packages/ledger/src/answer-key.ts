import { hash } from 'node:crypto';
import type { StepEvent } from '@palimpsest/events';
import type { DisjointUsage } from './normalize-usage.js';

/**
 * What makes two reports one answer: the request id, where empty the answer id, where empty the event id. The kind is
 * part of the key, so an answer called "R" and a request called "R" stay two.
 */
export function answerKey(step: Pick<StepEvent, 'request_id' | 'answer_id' | 'event_id'>): string {
  if (step.request_id) return `request:${step.request_id}`;
  if (step.answer_id) return `answer:${step.answer_id}`;
  return `event:${step.event_id}`;
}

/**
 * Orders the reports of one answer; the greatest is kept, in any order of arrival. 249 bits of a UInt256, from the
 * most telling: final, output tokens, all input tokens, moment, and a hash of the event id, so that two reports are
 * equal only when they are one event.
 */
export function stepVersion(
  step: Pick<StepEvent, 'final' | 'occurred_at' | 'event_id'>,
  usage: DisjointUsage,
): bigint {
  const input = usage.input_uncached + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const id = hash('sha256', step.event_id, 'hex').slice(0, 24);
  // Written as one hexadecimal number: four times as fast as shifting big integers.
  return BigInt(
    `0x${step.final ? '1' : '0'}${hex(usage.output, 13)}${hex(input, 13)}${hex(step.occurred_at, 12)}${id}`,
  );
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
