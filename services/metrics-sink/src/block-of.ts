import { TOPICS } from '@palimpsest/events';
import {
  blockToken,
  InvalidRowError,
  InvalidUsageError,
  type LedgerBlock,
  type PriceBook,
  type StepRow,
  stepRow,
  type TaskRow,
  taskRow,
} from '@palimpsest/ledger';
import { type DecodedRecord, PoisonError } from '@palimpsest/runtime';
import type { Block, Place } from './ledger-blocks.js';

/** The ledger's block for the events of a range. Throws PoisonError for the first event that cannot be kept. */
export function blockOf(
  place: Place,
  range: Pick<Block, 'fromOffset' | 'nextOffset'>,
  events: readonly DecodedRecord[],
  prices: PriceBook,
): LedgerBlock {
  const within = events.filter(
    ({ record }) => record.offset >= range.fromOffset && record.offset < range.nextOffset,
  );
  const ids = within.map(({ event }) => event.event_id);
  const token = blockToken(place.topic, place.partition, range.fromOffset, range.nextOffset, ids);
  return place.topic === TOPICS.steps
    ? { kind: 'steps', token, rows: within.map((one) => stepOf(one, prices)) }
    : { kind: 'tasks', token, rows: within.map(taskOf) };
}

function stepOf({ record, event }: DecodedRecord, prices: PriceBook): StepRow {
  if (event.type !== 'step') throw foreign(record.offset, event.type, record.topic);
  return keepable(record.offset, () => stepRow(event, prices));
}

function taskOf({ record, event }: DecodedRecord): TaskRow {
  if (event.type !== 'task_started' && event.type !== 'task_finished') {
    throw foreign(record.offset, event.type, record.topic);
  }
  return keepable(record.offset, () => taskRow(event, record.offset));
}

function keepable<T>(offset: bigint, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof InvalidUsageError || cause instanceof InvalidRowError)) throw cause;
    throw new PoisonError('The event has a number the ledger cannot keep.', {
      offset,
      errorClass: 'usage',
      cause,
    });
  }
}

function foreign(offset: bigint, type: string, topic: string): PoisonError {
  return new PoisonError(`An event of type "${type}" does not belong on ${topic}.`, {
    offset,
    errorClass: 'wrong-topic',
  });
}
