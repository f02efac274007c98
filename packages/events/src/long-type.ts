import avro from 'avsc';

// avsc's seam for longs makes a buffer per value; reading and writing at its cursor does not.
// oxlint-disable no-underscore-dangle

interface Tap {
  buf: Buffer;
  pos: number;
  readLong(): number;
  writeLong(value: number): void;
}

/** Below this avsc's own arithmetic, on zigzag codes in doubles, is exact. */
const EXACT = 2 ** 52;
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const bigLong = avro.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => narrow(buffer.readBigInt64LE()),
  toBuffer(value: number | bigint): Buffer {
    const buffer = Buffer.allocUnsafe(8);
    buffer.writeBigInt64LE(BigInt(value));
    return buffer;
  },
  fromJSON: (value: number | string) => (typeof value === 'string' ? BigInt(value) : value),
  toJSON: (value: number | bigint) => (typeof value === 'bigint' ? value.toString() : value),
  isValid(value: unknown): boolean {
    if (typeof value === 'bigint') return value >= -(2n ** 63n) && value < 2n ** 63n;
    return Number.isSafeInteger(value);
  },
  compare: (a: number | bigint, b: number | bigint) => (a < b ? -1 : a > b ? 1 : 0),
});

/**
 * Avro `long` without loss: a number where it is a safe integer, else a bigint.
 * avsc's own long type throws beyond 2^53, where producers' snowflake ids live.
 */
export const longType = Object.freeze(
  Object.create(bigLong, {
    _read: {
      value(tap: Tap): number | bigint {
        const start = tap.pos;
        const value = tap.readLong();
        return value > -EXACT && value < EXACT ? value : readExactly(tap.buf, start, tap.pos);
      },
    },
    _write: {
      value(this: avro.Type, tap: Tap, value: number | bigint): void {
        if (typeof value === 'number' && Number.isInteger(value) && value > -EXACT && value < EXACT) {
          tap.writeLong(value);
        } else (bigLong as unknown as { _write(tap: Tap, value: unknown): void })._write(tap, value);
      },
    },
  }),
) as avro.Type;

/** The zigzag varint that lies from `start` to `end`. */
function readExactly(buffer: Buffer, start: number, end: number): number | bigint {
  let code = 0n;
  for (let at = Math.min(end, buffer.length) - 1; at >= start; at -= 1) {
    code = (code << 7n) | BigInt((buffer[at] as number) & 0x7f);
  }
  if (code >= 2n ** 64n) throw new Error('a long of more than 64 bits');
  return narrow((code >> 1n) ^ -(code & 1n));
}

function narrow(value: bigint): number | bigint {
  return value >= MIN_SAFE && value <= MAX_SAFE ? Number(value) : value;
}
