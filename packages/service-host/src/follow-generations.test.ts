import { createLogger, createMetrics } from '@palimpsest/observability';
import { parseStrategy } from '@palimpsest/strategy';
import {
  createGeneration,
  ensureLiveGeneration,
  promoteGeneration,
  retireGeneration,
} from '@palimpsest/views';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { type FollowedGenerations, followGenerations, type GenerationWork } from './follow-generations.js';

const strategyOf = (name: string) => ({ ...parseStrategy(`name: ${name}\n`, 'test'), name });

let database: TestDatabase;
let following: FollowedGenerations | undefined;
const running = new Set<number>();
beforeEach(async () => {
  database = await freshDatabase({ migrated: true });
  await ensureLiveGeneration(database.pool, strategyOf('one'));
});
afterEach(async () => {
  await following?.stop();
  expect([...running]).toEqual([]);
  await database.drop();
});

async function follow(start?: (generation: number) => Promise<GenerationWork | null>): Promise<void> {
  following = await followGenerations({
    pool: database.pool,
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    pollMs: 5,
    start: ({ generation }) => start?.(generation) ?? work(generation),
  });
}

async function work(generation: number): Promise<GenerationWork> {
  running.add(generation);
  return {
    stop: async () => void running.delete(generation),
    done: new Promise(() => undefined),
    lag: async () => BigInt(generation),
  };
}

describe('following generations', () => {
  it('works for the live one and what stands by, and ends with what is retired', async () => {
    await follow();
    expect([...running]).toEqual([1]);
    const { generation } = await createGeneration(database.pool, strategyOf('two'), null);
    await promoteGeneration(database.pool, generation, { consumers: [] });
    await vi.waitFor(() => expect([...running].toSorted()).toEqual([1, generation]));
    expect(await following?.lag()).toBe(BigInt(1 + generation));
    await retireGeneration(database.pool, 1);
    await vi.waitFor(() => expect([...running]).toEqual([generation]));
  });

  it('does nothing for a generation whose strategy has none for it', async () => {
    await follow(async () => null);
    expect(await following?.lag()).toBe(0n);
  });

  it('fails where the work for one fails', async () => {
    await follow(async (generation) => ({
      ...(await work(generation)),
      done: Promise.reject(new Error('lost')),
    }));
    await expect(following?.done).rejects.toThrow('lost');
  });
});
