import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_TIME, parseTime } from './parse-time.js';

const two = (value: number) => String(value).padStart(2, '0');

describe('a time', () => {
  it('is read back from its ISO text, under any offset', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: LAST_TIME }),
        fc.integer({ min: -1439, max: 1439 }),
        (time, offset) => {
          expect(parseTime(new Date(time).toISOString())).toBe(time);
          const local = new Date(time + offset * 60_000).toISOString();
          const minutes = Math.abs(offset);
          const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
          // beyond year 9999 the ISO text has six digits
          if (local.length === 24) expect(parseTime(local.replace('Z', zone))).toBe(time);
        },
      ),
      { seed: 20260108, numRuns: 500 },
    );
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:00:00-01:00', 0],
    ['9999-12-31T23:59:59.999Z', LAST_TIME],
    ['2026-01-01t00:00:00.123456789z', 1_767_225_600_123],
    ['2026-01-01 00:00Z', 1_767_225_600_000],
    ['2025-12-31T23:59:60Z', 1_767_225_600_000],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  ])('%s is taken', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  it.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '0070-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00.Z',
    '+002026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    'now',
  ])('%s is none that every store can hold', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
