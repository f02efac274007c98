import { createHash } from 'node:crypto';
import { parseJson, writeJson } from '@palimpsest/events';
import avro from 'avsc';
import { RegistryError } from './registry-error.js';

/** A schema that is Avro, with what makes it the same as another. */
export interface AvroSchema {
  text: string;
  /** SHA-256 of the text with keys sorted and spacing gone; docs, defaults and aliases count. */
  hash: Buffer;
  type: avro.Type;
}

/** Reads a schema text. RegistryError 42201 says what is wrong with it. */
export function parseAvroSchema(text: string): AvroSchema {
  if (text.trim() === '') throw new RegistryError(42201, 'Empty schema');
  try {
    const schema = JSON.parse(text) as avro.Schema;
    const type = avro.Type.forSchema(schema, TYPE_OPTIONS());
    const hash = createHash('sha256')
      .update(canonical(parseJson(text)))
      .digest();
    return { text, hash, type };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new RegistryError(42201, `Invalid AVRO schema. Error: ${message}`, { cause });
  }
}

/** avsc's own long refuses defaults beyond 2^53; here types are only compared, so that any integer will do. */
const anyLong = avro.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: () => Buffer.alloc(8),
  fromJSON: (value: unknown) => value,
  toJSON: (value: unknown) => value,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isInteger(value),
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
});

// every schema has names of its own; unions stay wrapped, since not all can be told apart unwrapped
const TYPE_OPTIONS = () => ({ registry: { long: anyLong }, wrapUnions: true });

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  // a number kept as its digits is an object too, but not one of JSON
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) {
    return writeJson(value);
  }
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
