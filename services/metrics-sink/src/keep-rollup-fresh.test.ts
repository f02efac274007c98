import { createLogger } from '@palimpsest/observability';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepRollupFresh } from './keep-rollup-fresh.js';

const logger = createLogger({ name: 'test', level: 'silent' });
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the rollup', () => {
  it('is refreshed one at a time, also after a failure, and no more after the stop', async () => {
    let calls = 0;
    const ends: (() => void)[] = [];
    const ledger = {
      refreshRollup: async () => {
        calls += 1;
        if (calls === 1) throw new Error('away');
        await new Promise<void>((resolve) => ends.push(resolve));
        return { refresh: 1, units: 1 };
      },
    };
    const kept = keepRollupFresh(ledger, logger, 10);
    await vi.advanceTimersByTimeAsync(10);
    expect(calls).toBe(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(calls).toBe(2);
    let stopped = false;
    const stop = kept.stop().then(() => void (stopped = true));
    await vi.advanceTimersByTimeAsync(50);
    expect({ calls, stopped }).toEqual({ calls: 2, stopped: false });
    ends[0]?.();
    await stop;
  });
});
