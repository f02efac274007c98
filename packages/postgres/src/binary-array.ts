/**
 * One-dimensional arrays in PostgreSQL's binary format (array_recv): dimensions, has-nulls flag, element type, length,
 * lower bound, then length and bytes of each element. As parameters of `unnest` they make one statement of a whole
 * batch; pg would write arrays as text, twice the size and slower (docs/decisions/0002-batch-inserts.md).
 */

/** Type ids of pg_type. */
const OID = { bytea: 17, int8: 20, int4: 23, text: 25, float8: 701, uuid: 2950 } as const;

export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  return encodeArray(OID.bytea, values);
}

/** Texts, or their bytes in UTF-8; written straight into the array, no buffer per element. */
export function textArray(values: readonly (string | Buffer | null)[]): Buffer {
  let size = HEADER_BYTES;
  let hasNulls = false;
  for (const value of values) {
    size += 4;
    if (value === null) hasNulls = true;
    else size += typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  }
  const out = header(OID.text, size, values.length, hasNulls);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      at = out.writeInt32BE(-1, at);
      continue;
    }
    const length = typeof value === 'string' ? out.write(value, at + 4) : value.copy(out, at + 4);
    out.writeInt32BE(length, at);
    at += 4 + length;
  }
  return out;
}

export function uuidArray(values: readonly string[]): Buffer {
  return encodeArray(
    OID.uuid,
    values.map((value) => Buffer.from(value.replaceAll('-', ''), 'hex')),
  );
}

export function int4Array(values: readonly number[]): Buffer {
  return fixedArray(OID.int4, 4, values, (out, value, at) => out.writeInt32BE(value, at));
}

export function int8Array(values: readonly bigint[]): Buffer {
  return fixedArray(OID.int8, 8, values, (out, value, at) => out.writeBigInt64BE(value, at));
}

export function float8Array(values: readonly number[]): Buffer {
  return fixedArray(OID.float8, 8, values, (out, value, at) => out.writeDoubleBE(value, at));
}

const HEADER_BYTES = 20;

function encodeArray(elementType: number, elements: readonly (Buffer | null)[]): Buffer {
  let size = HEADER_BYTES;
  for (const element of elements) size += 4 + (element?.length ?? 0);
  const out = header(elementType, size, elements.length, elements.includes(null));
  let at = HEADER_BYTES;
  for (const element of elements) {
    at = out.writeInt32BE(element?.length ?? -1, at);
    if (element !== null) at += element.copy(out, at);
  }
  return out;
}

function fixedArray<T>(
  elementType: number,
  width: number,
  values: readonly T[],
  write: (out: Buffer, value: T, at: number) => number,
): Buffer {
  const out = header(elementType, HEADER_BYTES + values.length * (4 + width), values.length, false);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = out.writeInt32BE(width, at);
    at = write(out, value, at);
  }
  return out;
}

function header(elementType: number, size: number, length: number, hasNulls: boolean): Buffer {
  const out = Buffer.allocUnsafe(size);
  out.writeInt32BE(1, 0);
  out.writeInt32BE(hasNulls ? 1 : 0, 4);
  out.writeInt32BE(elementType, 8);
  out.writeInt32BE(length, 12);
  out.writeInt32BE(1, 16);
  return out;
}
