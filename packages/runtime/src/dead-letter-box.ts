import { deadLetterTopic, TOPICS } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import { type DeadLetter, readDeadLetter, replayOf } from './dead-letter.js';

/** A dead letter and what became of it. */
export interface BoxedLetter extends DeadLetter {
  /** `consumer/topic/partition/offset`: one record that one consumer could not handle. */
  place: string;
  /** ms since 1970, when an operator last appended it again; null = never. */
  replayedAt: number | null;
}

const REPLAYED_HEADER = 'dl-replayed';
const PAGE = 500;

/** All dead letters that the log still keeps, oldest first; one that was written twice counts once. */
export async function readDeadLetters(
  log: EventLog,
  topics: readonly string[] = Object.values(TOPICS),
): Promise<BoxedLetter[]> {
  const letters = new Map<string, BoxedLetter>();
  for (const topic of topics) {
    for await (const record of recordsOf(log, deadLetterTopic(topic))) {
      const replayed = record.headers[REPLAYED_HEADER];
      if (replayed !== undefined) {
        const letter = letters.get(replayed);
        if (letter !== undefined) letter.replayedAt = record.timestamp;
        continue;
      }
      const letter = readDeadLetter(record);
      const place = placeOf(letter);
      if (!letters.has(place)) letters.set(place, { ...letter, place, replayedAt: null });
    }
  }
  return [...letters.values()].toSorted((a, b) => a.timestamp - b.timestamp);
}

/**
 * Appends the record again as it was, then notes that it did. All consumers of the topic see it; those that handled the
 * event before know it by its id. After a crash in between it may be appended twice, which is as good as once.
 */
export async function replayDeadLetter(log: EventLog, letter: BoxedLetter): Promise<void> {
  await log.append(letter.topic, [replayOf(letter)]);
  const note = { key: letter.key, value: null, headers: { [REPLAYED_HEADER]: letter.place } };
  await log.append(deadLetterTopic(letter.topic), [note]);
}

function placeOf({ consumer, topic, partition, offset }: DeadLetter): string {
  return [consumer, topic, partition, offset].join('/');
}

async function* recordsOf(log: EventLog, topic: string): AsyncGenerator<LogRecord> {
  for (const { partition, low, high } of await log.bounds(topic)) {
    for (let from = low; from < high; ) {
      const page = await log.read(topic, partition, from, PAGE);
      if (page.length === 0) break;
      yield* page;
      from = (page[page.length - 1] as LogRecord).offset + 1n;
    }
  }
}
