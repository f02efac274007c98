import type { EventLog, SubscribeOptions } from '@palimpsest/log';
import { expect, it } from 'vitest';
import { watchAssignments } from './watch-assignments.js';

const REST = { group: 'g', topics: ['t'], handler: async () => undefined, onFatal: () => undefined };

it('knows which checkpoints are not loaded yet, and forgets a partition that went elsewhere', async () => {
  let time = 0;
  let subscribed: SubscribeOptions | undefined;
  const log = {
    subscribe: async (options: SubscribeOptions) => void (subscribed = options),
  } as unknown as EventLog;
  const watched = watchAssignments(log, () => time);
  let load: ((offset: bigint) => void) | undefined;
  const startAt = (_: string, partition: number): Promise<bigint> =>
    partition === 0 ? new Promise((resolve) => (load = resolve)) : Promise.reject(new Error('away'));
  await watched.log.subscribe({ ...REST, startAt });
  expect(watched.loading()).toEqual([]);

  const first = subscribed?.startAt('t', 0);
  await expect(subscribed?.startAt('t', 1)).rejects.toThrow('away');
  expect(watched.loading()).toEqual(['g t[0]', 'g t[1]']);
  load?.(7n);
  expect(await first).toBe(7n);
  expect(watched.loading()).toEqual(['g t[1]']);
  time = 60_000;
  expect(watched.loading()).toEqual([]);
});
