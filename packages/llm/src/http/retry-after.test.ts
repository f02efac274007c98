import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('what a provider asks to wait', () => {
  it.each<[Record<string, string>, number | null]>([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after-ms': '' }, null],
    [{}, null],
  ])('of %j is %j ms', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), NOW)).toBe(ms);
  });
});
