import type { PalimpsestEvent } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';

export type LogDecoder = (record: LogRecord) => PalimpsestEvent | Promise<PalimpsestEvent>;

const PAGE = 2000;

/** Events of a topic from the first one kept to where it ended when asked, partition by partition; poison is left out. */
export async function* eventsOf(
  log: EventLog,
  topic: string,
  decode: LogDecoder,
): AsyncGenerator<{ record: LogRecord; event: PalimpsestEvent }> {
  for (const { partition, low, high } of await log.bounds(topic)) {
    for (let from = low; from < high; ) {
      const records = await log.read(topic, partition, from, PAGE);
      if (records.length === 0) break;
      for (const record of records) {
        if (record.offset >= high) break;
        const event = await decoded(record, decode);
        if (event !== null) yield { record, event };
      }
      from = (records[records.length - 1] as LogRecord).offset + 1n;
    }
  }
}

async function decoded(record: LogRecord, decode: LogDecoder): Promise<PalimpsestEvent | null> {
  if (record.value === null) return null;
  try {
    return await decode(record);
  } catch (error) {
    // The registry is away: that is not the record's fault.
    if ((error as { retryable?: boolean }).retryable === true) throw error;
    return null;
  }
}
