import { describe, expect, it } from 'vitest';
import { murmur2, partitionOf } from './partition-of.js';

describe('partitionOf', () => {
  // Vectors of the Java client's own test (UtilsTest.testMurmur2).
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as the Java client does', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  it('clears the sign bit instead of taking the absolute value', () => {
    expect(partitionOf('21', 1000)).toBe((-973932308 & 0x7fffffff) % 1000);
  });

  it('hashes the UTF-8 bytes of a key', () => {
    // As kafkajs 2.2.4 answers.
    expect(murmur2(Buffer.from('акме/розмова', 'utf8'))).toBe(-484936471);
    expect(partitionOf('акме/розмова', 12)).toBe(1);
  });

  it('puts a record without a key into partition 0', () => {
    expect(partitionOf(null, 12)).toBe(0);
  });

  it('spreads the keys of conversations evenly', () => {
    const counts = Array.from({ length: 12 }, () => 0);
    for (let i = 0; i < 12_000; i++) {
      const partition = partitionOf(`acme/conversation-${i}`, 12);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });
});
