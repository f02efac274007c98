import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPosition, parsePosition } from './position.js';

const offset = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const partition = fc.integer({ min: 0, max: 0x3fff });
const topic = fc.constantFrom('chat.messages', 'agent.steps', 'agent.tasks');

describe('position', () => {
  it('is partition and offset in hex', () => {
    expect(formatPosition(3, 255n)).toBe('0003-00000000000000ff');
  });

  it('gives back the place it was made of', () => {
    fc.assert(
      fc.property(partition, offset, topic, (p, o, t) => {
        expect(parsePosition(formatPosition(p, o, t))).toEqual({ topic: t, partition: p, offset: o });
      }),
    );
  });

  it('compares as a string in the order of the log', () => {
    fc.assert(
      fc.property(partition, offset, offset, (p, a, b) => {
        expect(formatPosition(p, a) < formatPosition(p, b)).toBe(a < b);
      }),
    );
  });

  it('never takes the place of a step for the place of a message', () => {
    expect(formatPosition(0, 7n, 'agent.steps')).not.toBe(formatPosition(0, 7n));
  });

  it.each([
    '',
    '0003',
    '0003-ff',
    '0003-00000000000000FF',
    '0003-00000000000000ff ',
    '0003-ffffffffffffffff',
  ])('does not read %j', (text) => {
    expect(parsePosition(text)).toBeNull();
  });

  it('refuses what has no place', () => {
    expect(() => formatPosition(0x4000, 0n)).toThrow(/partitions/);
    expect(() => formatPosition(0, -1n)).toThrow(/offset -1/);
    expect(() => formatPosition(0, 0n, 'chat.messages.dead-letters')).toThrow(/no position/);
  });
});
