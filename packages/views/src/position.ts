import { TOPICS } from '@palimpsest/events';

/** Where an event lies in the log. */
export interface Place {
  topic: string;
  partition: number;
  offset: bigint;
}

/**
 * Topics in the high bits of the partition, so that the place of a step is never taken for the place of a message.
 * The numbers are part of what clients hold: append, never change.
 */
const TOPIC_SPANS: readonly string[] = [TOPICS.messages, TOPICS.steps, TOPICS.tasks, TOPICS.derivations];
const SPAN = 0x4000;
const POSITION = /^([0-9a-f]{4})-([0-9a-f]{16})$/;

/**
 * The opaque position that clients get: 4 hex digits of the partition, `-`, 16 hex digits of the offset. Positions of
 * one conversation's messages compare as strings in log order.
 * `formatPosition(3, 255n)` is `0003-00000000000000ff`.
 */
export function formatPosition(partition: number, offset: bigint, topic: string = TOPICS.messages): string {
  const span = TOPIC_SPANS.indexOf(topic);
  if (span === -1) throw new Error(`Events of topic ${topic} have no position for clients.`);
  if (!Number.isInteger(partition) || partition < 0 || partition >= SPAN || offset < 0n) {
    throw new Error(
      `No position for ${topic}[${partition}] offset ${offset}: partitions go up to ${SPAN - 1}.`,
    );
  }
  const place = (span * SPAN + partition).toString(16).padStart(4, '0');
  return `${place}-${offset.toString(16).padStart(16, '0')}`;
}

/** The place that a position names; null for a text that is no position. */
export function parsePosition(text: string): Place | null {
  const match = POSITION.exec(text);
  if (match === null) return null;
  const place = Number.parseInt(match[1] as string, 16);
  const offset = BigInt(`0x${match[2]}`);
  if (offset > 2n ** 63n - 1n) return null;
  return { topic: TOPIC_SPANS[Math.floor(place / SPAN)] as string, partition: place % SPAN, offset };
}
