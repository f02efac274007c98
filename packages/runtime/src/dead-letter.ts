import { deadLetterTopic } from '@palimpsest/events';
import type { EventLog, LogRecord, NewRecord } from '@palimpsest/log';

/** A record that could not be handled, with all that is needed to find out why and to replay it. */
export interface DeadLetter {
  topic: string;
  partition: number;
  offset: bigint;
  /** Milliseconds since 1970, when the source topic took it. */
  timestamp: number;
  key: string | null;
  /** The original bytes. */
  value: Buffer | null;
  /** The original headers. */
  headers: Record<string, string>;
  consumer: string;
  errorClass: string;
  error: string;
  attempts: number;
}

const ORIGINAL_HEADER = 'dl-header-';
/** Long enough for the causes, short enough for a broker's limit on headers. */
const MAX_ERROR_CHARACTERS = 2000;

/**
 * Appends to `<topic>.dead-letters` under the original key. At least once: the same place (consumer, topic,
 * partition, offset) may be written again after a crash, and counts as one.
 */
export async function appendDeadLetter(log: EventLog, letter: DeadLetter): Promise<void> {
  const headers: Record<string, string> = {
    'dl-topic': letter.topic,
    'dl-partition': String(letter.partition),
    'dl-offset': String(letter.offset),
    'dl-timestamp': String(letter.timestamp),
    'dl-consumer': letter.consumer,
    'dl-class': letter.errorClass,
    'dl-error': letter.error,
    'dl-attempts': String(letter.attempts),
  };
  if (letter.key !== null) headers['dl-key'] = letter.key;
  for (const [name, value] of Object.entries(letter.headers)) headers[ORIGINAL_HEADER + name] = value;
  await log.append(deadLetterTopic(letter.topic), [{ key: letter.key, value: letter.value, headers }]);
}

/** Reads a record of a dead-letter topic. Throws when it is none. */
export function readDeadLetter(record: LogRecord): DeadLetter {
  const need = (name: string): string => {
    const value = record.headers[name];
    if (value !== undefined) return value;
    const place = `${record.topic}[${record.partition}]@${record.offset}`;
    throw new Error(`Record ${place} is not a dead letter: it has no header ${name}.`);
  };
  const original = Object.entries(record.headers)
    .filter(([name]) => name.startsWith(ORIGINAL_HEADER))
    .map(([name, value]) => [name.slice(ORIGINAL_HEADER.length), value]);
  return {
    topic: need('dl-topic'),
    partition: Number(need('dl-partition')),
    offset: BigInt(need('dl-offset')),
    timestamp: Number(need('dl-timestamp')),
    key: record.headers['dl-key'] ?? null,
    value: record.value,
    headers: Object.fromEntries(original) as Record<string, string>,
    consumer: need('dl-consumer'),
    errorClass: need('dl-class'),
    error: need('dl-error'),
    attempts: Number(need('dl-attempts')),
  };
}

/**
 * The record to append to `letter.topic` again, as it was. Every consumer of the topic sees it, also those that had
 * no trouble: they know the event by its id.
 */
export function replayOf(letter: DeadLetter): NewRecord {
  return { key: letter.key, value: letter.value, headers: letter.headers };
}

/** An error as one text: its message and those of its causes, without a stack. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause !== undefined && parts.length < 8; cause = (cause as Error).cause) {
    if (!(cause instanceof Error)) {
      parts.push(String(cause));
      break;
    }
    parts.push(`${cause.name}: ${cause.message}`);
  }
  return parts.join(' <- ').slice(0, MAX_ERROR_CHARACTERS);
}
