import type { LogRecord } from '@palimpsest/log';
import type { DecodedRecord } from './consumer.js';
import { classifyError } from './classify-error.js';
import { PoisonError } from './errors.js';

/** A record and what became of it. */
export type Item =
  | { kind: 'event'; record: LogRecord; decoded: DecodedRecord }
  | { kind: 'tombstone'; record: LogRecord }
  /** An event that the consumer does not accept. */
  | { kind: 'other'; record: LogRecord }
  | { kind: 'poison'; record: LogRecord; error: PoisonError };

/**
 * Decodes in order. A record without a value is a tombstone; one that cannot be decoded is poison. Throws what
 * `decode` throws when that is to be tried again: the registry is down, not the record bad.
 */
export async function decodeBatch(
  records: readonly LogRecord[],
  decode: (record: LogRecord) => DecodedRecord['event'] | Promise<DecodedRecord['event']>,
  accepts?: (event: DecodedRecord['event']) => boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const record of records) {
    if (record.value === null) {
      items.push({ kind: 'tombstone', record });
      continue;
    }
    try {
      const decoded = decode(record);
      // A microtask per record would be felt at 100k records/s; codecs are synchronous once they know the schema.
      const event = decoded instanceof Promise ? await decoded : decoded;
      if (accepts?.(event) === false) items.push({ kind: 'other', record });
      else items.push({ kind: 'event', record, decoded: { record, event } });
    } catch (cause) {
      if (!blamesRecord(cause)) throw cause;
      const errorClass = cause instanceof PoisonError ? cause.errorClass : 'decode';
      const error = new PoisonError('The record could not be decoded.', {
        offset: record.offset,
        errorClass,
        cause,
      });
      items.push({ kind: 'poison', record, error });
    }
  }
  return items;
}

function blamesRecord(error: unknown): boolean {
  const found = classifyError(error);
  return found === 'handler' || found === 'poison';
}
