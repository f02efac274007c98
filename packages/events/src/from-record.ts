import type { EventType, PalimpsestEvent } from './event.js';
import { type LongFields, longFields } from './long-fields.js';
import { LAST_TIME } from './parse-time.js';
import { UndecodableError } from './undecodable-error.js';

/** Fields that may hold any 64-bit value; every other number must be a safe integer. */
const WIDE = new Set(['seq', 'from_order', 'to_order', 'seen_offset']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** 0001-01-01T00:00Z: a fact may be older than 1970 ("born in 1962"). */
const FIRST_TIME = -62_135_596_800_000;
/**
 * Tenant and conversation lie in one index entry of Postgres, of at most 2,704 bytes; the rest of it is for the
 * generation, a uuid and a hash.
 */
const MAX_KEY_BYTES = 2560;

type Fields = Record<string, unknown>;

/**
 * How a decoded Avro record of an event type becomes an event, built once per type. What it returns throws
 * UndecodableError naming the field that no store could take.
 */
export function fromRecord(type: EventType, schemaText: string): (record: Fields) => PalimpsestEvent {
  const longs = longFields(schemaText);
  const wide = longs.own.filter((field) => WIDE.has(field));
  const safe: LongFields = { ...longs, own: longs.own.filter((field) => !WIDE.has(field)) };
  const aboutMessage = type === 'pin' || type === 'unpin' || type === 'correction';
  return (record) => {
    const event: Fields = { type, ...record };
    for (const field of wide) {
      const value = event[field];
      if (value !== null) event[field] = BigInt(value as number | bigint);
    }
    refuseWide(event, safe, '');
    event['event_id'] = uuidOf(event, 'event_id');
    if (aboutMessage) event['message_id'] = uuidOf(event, 'message_id');
    refuseUnkeyed(event);
    const time = event['occurred_at'] as number;
    if (time < 0 || time > LAST_TIME)
      throw new UndecodableError(`Field occurred_at is ${time}, no time from 1970 to 9999.`);
    if (type === 'facts_made') refuseFactTimes(event['facts'] as Fields[]);
    return event as unknown as PalimpsestEvent;
  };
}

function refuseWide(record: Fields, longs: LongFields, path: string): void {
  for (const field of longs.own) {
    const value = record[field];
    if (typeof value === 'bigint')
      throw new UndecodableError(`Field ${path}${field} is ${value}, beyond 2^53.`);
  }
  for (const [field, inner] of longs.nested) {
    const value = record[field];
    if (value === null) continue;
    const below = `${path}${field}.`;
    if (Array.isArray(value)) for (const item of value) refuseWide(item as Fields, inner, below);
    else refuseWide(value as Fields, inner, below);
  }
}

function uuidOf(event: Fields, field: string): string {
  const text = event[field] as string;
  if (UUID.test(text)) return text;
  const lower = text.toLowerCase();
  if (UUID.test(lower)) return lower;
  throw new UndecodableError(`Field ${field} is no UUID: ${JSON.stringify(text.slice(0, 64))}.`);
}

function refuseUnkeyed(event: Fields): void {
  const tenant = event['tenant'] as string;
  const conversation = event['conversation_id'] as string;
  refuseNul(tenant, 'tenant');
  refuseNul(conversation, 'conversation_id');
  refuseNul(event['task_id'], 'task_id');
  refuseNul(event['client_id'], 'client_id');
  refuseNul(event['agent'], 'agent');
  if (tenant === '') throw new UndecodableError('Field tenant is empty.');
  if (conversation === '') throw new UndecodableError('Field conversation_id is empty.');
  // no UTF-16 unit takes more than three bytes of UTF-8
  if ((tenant.length + conversation.length) * 3 <= MAX_KEY_BYTES) return;
  const bytes = Buffer.byteLength(tenant) + Buffer.byteLength(conversation);
  if (bytes > MAX_KEY_BYTES) {
    throw new UndecodableError(
      `Fields tenant and conversation_id take ${bytes} bytes, more than the ${MAX_KEY_BYTES} an index holds.`,
    );
  }
}

function refuseNul(value: unknown, field: string): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw new UndecodableError(`Field ${field} holds NUL.`);
}

function refuseFactTimes(facts: Fields[]): void {
  for (const fact of facts) {
    for (const field of ['valid_from', 'valid_until']) {
      const time = fact[field] as number | null;
      if (time !== null && (time < FIRST_TIME || time > LAST_TIME))
        throw new UndecodableError(`Field facts.${field} is ${time}, no time from year 1 to 9999.`);
    }
  }
}
