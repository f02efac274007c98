import type { Broker, Cluster } from 'kafkajs';

/** The part of kafkajs's broker that its types do not show. Where it is another, topics have no id for us. */
interface BrokerInside {
  versions?: Record<number, { maxVersion: number } | undefined>;
  connectionPool?: { send(exchange: unknown): Promise<string | undefined> };
}

const METADATA = 3;
// The first version that tells topic ids (KIP-516, Kafka 2.8); kafkajs itself stops at 6.
const VERSION = 10;

/**
 * The id Kafka gave the topic when it was created, undefined where it cannot be had. A name that was deleted and
 * created again has another id: the only way to tell, once the new topic has grown past our offset.
 */
export async function topicId(cluster: Cluster, topic: string): Promise<string | undefined> {
  const { versions, connectionPool } = (await cluster.findControllerBroker()) as Broker & BrokerInside;
  if (connectionPool === undefined || (versions?.[METADATA]?.maxVersion ?? 0) < VERSION) return undefined;
  const body = encodeRequest(topic);
  return connectionPool.send({
    request: {
      apiKey: METADATA,
      apiVersion: VERSION,
      apiName: 'Metadata',
      // What kafkajs asks of an encoder.
      encode: async () => ({ buf: body, buffer: body }),
    },
    response: {
      decode: async (payload: Buffer) => ({ id: decoded(payload) }),
      parse: async ({ id }: { id?: string }) => id,
    },
  });
}

/** Lengths of this version are one more than what they count, and every structure ends with its tagged fields: none. */
function encodeRequest(topic: string): Buffer {
  const name = Buffer.from(topic, 'utf8');
  return Buffer.concat([
    // header's tagged fields; one topic; its id: none, asked for by name
    Buffer.from([0, 2, ...Buffer.alloc(16)]),
    encodeVarint(name.length + 1),
    name,
    // topic's tagged fields; no creation; no authorized operations, twice; request's tagged fields
    Buffer.from([0, 0, 0, 0, 0]),
  ]);
}

/** An answer of another shape must not keep anyone from reading: it says nothing about ids, no more. */
function decoded(payload: Buffer): string | undefined {
  try {
    return decodeId(payload);
  } catch {
    return undefined;
  }
}

/** Reads up to the first topic's id, and leaves the rest. */
function decodeId(payload: Buffer): string | undefined {
  // header's tagged fields; throttle time
  let at = 1 + 4;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = payload.readUInt8(at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const skipText = (): void => {
    const length = varint() - 1;
    at += Math.max(length, 0);
  };
  for (let brokers = varint() - 1; brokers > 0; brokers--) {
    at += 4;
    skipText();
    at += 4;
    skipText();
    // broker's tagged fields
    varint();
  }
  skipText();
  // controller's id; number of topics
  at += 4;
  varint();
  const error = payload.readInt16BE(at);
  at += 2;
  skipText();
  return error === 0 ? payload.toString('hex', at, at + 16) : undefined;
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
