import type { PalimpsestEvent } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import type { DecodedRecord } from '@palimpsest/runtime';
import type { Block, Place } from './ledger-blocks.js';

/** Records asked of the log at once. */
const PAGE = 500;

/**
 * Reads a block's events from the log again. What does not decode is left out: it went to the dead letters when the
 * block was cut, and goes there again when the consumer reaches it. An error with `retryable` is thrown on.
 */
export async function readRange(
  log: EventLog,
  place: Place,
  range: Pick<Block, 'fromOffset' | 'nextOffset'>,
  decode: (record: LogRecord) => PalimpsestEvent | Promise<PalimpsestEvent>,
): Promise<DecodedRecord[]> {
  const events: DecodedRecord[] = [];
  let from = range.fromOffset;
  while (from < range.nextOffset) {
    const records = await log.read(place.topic, place.partition, from, PAGE);
    for (const record of records) {
      if (record.offset >= range.nextOffset) return events;
      const event = await decodeOrNull(record, decode);
      if (event !== null) events.push({ record, event });
    }
    const last = records.at(-1);
    if (last === undefined) return events;
    from = last.offset + 1n;
  }
  return events;
}

async function decodeOrNull(
  record: LogRecord,
  decode: (record: LogRecord) => PalimpsestEvent | Promise<PalimpsestEvent>,
): Promise<PalimpsestEvent | null> {
  if (record.value === null) return null;
  try {
    return await decode(record);
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) throw error;
    return null;
  }
}
