import { writeJson } from '@palimpsest/events';
import { fileStem, uuidOf } from './conversation.js';
import { type ApiEvent, ImportError, type ImportItem } from './import-item.js';
import { isExactNumber, listOf, objectOf, plainJson, textOf } from './json-values.js';
import { readJsonRecords } from './read-records.js';

const EXPECTED = 'events of our own API, one {"type", "conversation_id", …} a line or {"events": […]}';

const BASE_TIME = Date.UTC(2026, 0, 1);

/**
 * Our own events, passed on as they are; what has no `event_id` gets one from the file's name, its own text and how
 * often the file had that text before, so that a second import adds nothing and equal lines stay apart.
 */
export async function* readEvents(file: string): AsyncGenerator<ImportItem> {
  const seen = new Map<string, number>();
  let count = 0;
  let found = false;
  let wrong = false;
  for await (const record of readJsonRecords(file, EXPECTED)) {
    if (record.kind === 'skipped') {
      wrong ||= record.why !== 'the file is empty';
      yield record;
      continue;
    }
    for (const [index, value] of eventsOf(record.value).entries()) {
      const place = record.line === undefined ? `${file}:${index}` : `${file}:${record.line}`;
      const read = readEvent(value, { file, seen, index: count });
      count += 1;
      if (typeof read === 'string') {
        wrong = true;
        yield { kind: 'skipped', place, why: read };
      } else {
        found = true;
        yield { kind: 'event', event: read, place };
      }
    }
  }
  if (wrong && !found) {
    throw new ImportError(file, `${file} is not of the format events: expected ${EXPECTED}`);
  }
}

interface Reading {
  file: string;
  seen: Map<string, number>;
  index: number;
}

/** The event, or why it is skipped. */
function readEvent(value: unknown, reading: Reading): ApiEvent | string {
  try {
    return completeEvent(value, reading);
  } catch (cause) {
    if (cause instanceof RangeError) return 'the event is nested too deeply';
    throw cause;
  }
}

function completeEvent(value: unknown, reading: Reading): ApiEvent | string {
  const given = objectOf(value);
  if (given === undefined) return 'an event must be an object';
  if (textOf(given.type) === undefined) return 'an event without a type';
  const conversationId = textOf(given.conversation_id) ?? '';
  return withNumbersKept({
    ...given,
    event_id: given.event_id ?? idOf(given, conversationId, reading),
    occurred_at: given.occurred_at ?? new Date(BASE_TIME + reading.index * 1000).toISOString(),
  });
}

function idOf(given: Record<string, unknown>, conversationId: string, { file, seen }: Reading): string {
  const text = writeJson(given);
  const before = seen.get(text) ?? 0;
  seen.set(text, before + 1);
  return uuidOf('events', fileStem(file), conversationId, String(before), text);
}

/** Where JSON text is kept as text anyway, numbers stay as they were written; elsewhere they become JavaScript's. */
function withNumbersKept(event: ApiEvent): ApiEvent | string {
  const kept: ApiEvent = {};
  for (const [field, value] of Object.entries(event)) {
    const { plain, exact } = plainJson(value);
    const isText = (field === 'arguments' || field === 'content') && objectOf(value) !== undefined;
    if (isText && writeJson(value) !== JSON.stringify(value)) kept[field] = writeJson(value);
    else if (field === 'seq' && isExactNumber(value)) kept[field] = String(value);
    else if (exact) kept[field] = plain;
    else return `a number in ${JSON.stringify(field)} that JSON readers would change`;
  }
  return kept;
}

function eventsOf(value: unknown): unknown[] {
  const record = objectOf(value);
  const listed = record?.type === undefined ? listOf(record?.events) : undefined;
  return listed ?? listOf(value) ?? [value];
}
