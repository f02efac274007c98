/**
 * Partition of a key as Kafka's own clients choose it: `toPositive(murmur2(utf8 key)) % partitions`, so that foreign
 * producers and ours put one conversation in one partition. A record without a key goes to partition 0 (there the
 * clients disagree anyway).
 */
export function partitionOf(key: string | null, partitions: number): number {
  if (key === null) return 0;
  return (murmur2(Buffer.from(key, 'utf8')) & 0x7fffffff) % partitions;
}

// Austin Appleby's MurmurHash2, 32 bit, with the seed of Kafka's Java client (org.apache.kafka.common.utils.Utils).
const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** Signed 32-bit hash. Exported for its test vectors. */
export function murmur2(data: Uint8Array): number {
  const length = data.length;
  const tail = length & ~3;
  const byte = (index: number): number => data[index] as number;
  let h = SEED ^ length;
  for (let i = 0; i < tail; i += 4) {
    let k = byte(i) | (byte(i + 1) << 8) | (byte(i + 2) << 16) | (byte(i + 3) << 24);
    k = Math.imul(k, M);
    k ^= k >>> R;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const rest = length & 3;
  if (rest === 3) h ^= byte(tail + 2) << 16;
  if (rest >= 2) h ^= byte(tail + 1) << 8;
  if (rest >= 1) h = Math.imul(h ^ byte(tail), M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  return h ^ (h >>> 15);
}
