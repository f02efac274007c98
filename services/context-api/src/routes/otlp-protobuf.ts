import { type OtlpSpan, UnreadableSpansError } from './otlp-span.js';

/** A field of a message: a varint or fixed 64 bits as a number, or the bytes of a text, bytes or message. */
interface Field {
  number: number;
  value: bigint | Buffer;
}

/**
 * Spans of an OTLP/protobuf export (`ExportTraceServiceRequest`, opentelemetry-proto 1.x), as far as we need them;
 * fields we do not know are passed over. Throws UnreadableSpansError.
 */
export function readProtobufSpans(body: Buffer): OtlpSpan[] {
  return messagesIn(body, 1).flatMap((resourceSpans) => {
    const resource = messagesIn(resourceSpans, 1).flatMap((one) => messagesIn(one, 1));
    return messagesIn(resourceSpans, 2)
      .flatMap((scope) => messagesIn(scope, 2))
      .map((span) => spanOf(span, resource));
  });
}

function spanOf(message: Buffer, resource: readonly Buffer[]): OtlpSpan {
  const fields = readFields(message);
  const bytes = (number: number): Buffer => {
    const value = fields.find((field) => field.number === number)?.value;
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  };
  const nanos = (number: number): bigint => {
    const value = fields.find((field) => field.number === number)?.value;
    return typeof value === 'bigint' ? value : 0n;
  };
  const [traceId, spanId] = [bytes(1), bytes(2)];
  if (traceId.length !== 16 || spanId.length !== 8) throw broken('the ids of a span are not 16 and 8 bytes');
  return {
    traceId: traceId.toString('hex'),
    spanId: spanId.toString('hex'),
    startNanos: nanos(7),
    endNanos: nanos(8),
    attributes: attributesOf([...resource, ...messagesIn(message, 9)]),
  };
}

function attributesOf(pairs: readonly Buffer[]): OtlpSpan['attributes'] {
  const attributes = Object.create(null) as Record<string, string | number | boolean>;
  for (const pair of pairs) {
    const fields = readFields(pair);
    const key = fields.find((field) => field.number === 1)?.value;
    const [value] = messagesIn(pair, 2).flatMap(readFields);
    if (!Buffer.isBuffer(key) || value === undefined) continue;
    const name = key.toString('utf8');
    if (value.number === 1 && Buffer.isBuffer(value.value)) attributes[name] = value.value.toString('utf8');
    if (typeof value.value !== 'bigint') continue;
    if (value.number === 2) attributes[name] = value.value !== 0n;
    if (value.number === 3) attributes[name] = Number(BigInt.asIntN(64, value.value));
    if (value.number === 4) attributes[name] = doubleOf(value.value);
  }
  return attributes;
}

function doubleOf(bits: bigint): number {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(bits);
  return buffer.readDoubleLE();
}

function messagesIn(message: Buffer, number: number): Buffer[] {
  return readFields(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
}

function readFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at];
      if (byte === undefined) throw broken('it ends within a number');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw broken('a number is longer than ten bytes');
  };
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw broken('it ends within a field');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: take(8).readBigUInt64LE() });
        break;
      case 2:
        fields.push({ number, value: take(Number(varint())) });
        break;
      case 5:
        take(4);
        break;
      default:
        throw broken('it has a field of an unknown kind');
    }
  }
  return fields;
}

function broken(why: string): UnreadableSpansError {
  return new UnreadableSpansError(`The body is no protobuf message of OTLP: ${why}.`);
}
