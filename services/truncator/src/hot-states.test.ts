import { emptyState } from '@palimpsest/strategy';
import { expect, it } from 'vitest';
import { HotStates } from './hot-states.js';

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
