import { emptyState } from '@palimpsest/strategy';
import { expect, it } from 'vitest';
import { HotStates, type Ownership } from './hot-states.js';

it('sees the states of its own epoch only, and keeps none of one that has passed', () => {
  const hot = new HotStates();
  const [before, after, late] = [emptyState(), emptyState(), emptyState()];
  hot.set({ partition: 0, epoch: 1n }, 'c', before);
  expect(hot.get({ partition: 0, epoch: 1n }, 'c')).toBe(before);
  expect(hot.get({ partition: 0, epoch: 2n }, 'c')).toBeUndefined();
  hot.set({ partition: 0, epoch: 2n }, 'c', after);
  hot.set({ partition: 0, epoch: 1n }, 'c', late);
  expect(hot.get({ partition: 0, epoch: 2n }, 'c')).toBe(after);
  expect(hot.get({ partition: 0, epoch: 1n }, 'c')).toBeUndefined();
  expect(hot.get({ partition: 1, epoch: 2n }, 'c')).toBeUndefined();
});

it('keeps within its bytes what was used last, each partition its share', () => {
  const hot = new HotStates(100);
  const [first, second] = [0, 1].map((partition) => ({ partition, epoch: 1n })) as [Ownership, Ownership];
  for (const key of ['a', 'b', 'c']) hot.set(first, key, emptyState(), 40);
  hot.trim(0);
  expect(['a', 'b', 'c'].map((key) => hot.get(first, key) !== undefined)).toEqual([false, true, true]);
  hot.get(first, 'b');
  hot.set(second, 'd', emptyState(), 10);
  hot.trim(0);
  expect(['b', 'c'].map((key) => hot.get(first, key) !== undefined)).toEqual([true, false]);
  // What was read and not changed counts as it did.
  hot.set(first, 'b', emptyState());
  hot.set(first, 'e', emptyState(), 40);
  hot.trim(0);
  expect(hot.get(first, 'b')).toBeUndefined();
});
