import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '@palimpsest/service-host';
import { describe, expect, it } from 'vitest';
import { readStrategy } from '../commands/strategies.js';
import { eventsOfFiles, sampleSessions, type Session } from './sessions.js';
import { simulateStrategy } from './simulate-strategy.js';

const folder = join(installationRoot(), 'samples');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .toSorted()
  .map((file) => join(folder, file));
const sessions = (count: number, only?: string): Promise<Session[]> =>
  sampleSessions(eventsOfFiles(files), count, only);
const prices = { input: 3, cached: 0.3 };

describe('recorded sessions', () => {
  it('are the same sample whatever order the files come in', async () => {
    const there = await sessions(4);
    const back = await sampleSessions(eventsOfFiles(files.toReversed()), 4);
    expect(there).toHaveLength(4);
    expect(back.map(({ conversation }) => conversation)).toEqual(
      there.map(({ conversation }) => conversation),
    );
    expect(back.map(({ events }) => events.length)).toEqual(there.map(({ events }) => events.length));
  });

  it('are one where one is named', async () => {
    const [first] = await sessions(1);
    const [only] = await sessions(1, first?.conversation);
    expect(only?.conversation).toBe(first?.conversation);
    expect(await sessions(1, 'nowhere')).toEqual([]);
  });
});

describe('a simulated strategy', () => {
  it('never costs more than the whole history, keeps within the budget and says what it keeps', async () => {
    const sample = await sessions(2);
    const small = simulateStrategy(sample, readStrategy('default'), 2000, prices);
    const large = simulateStrategy(sample, readStrategy('default'), 100_000, prices);
    expect(small.tokens).toBeLessThanOrEqual(small.calls * 2000);
    expect(small.tokens).toBeLessThan(small.naive_tokens);
    expect(large.identifiers_kept).toBeGreaterThanOrEqual(small.identifiers_kept as number);
    expect(large.identifiers_kept).toBeGreaterThan(0.99);
    expect(large.left_out).toBeLessThan(0.1);
    expect(small.usd).toBeGreaterThan(0);
    expect(small.stable_prefix).toBeGreaterThan(0);
  });

  it('is the same in every run', async () => {
    const sample = await sessions(2);
    const once = simulateStrategy(sample, readStrategy('adaptive'), 3000, prices);
    expect(simulateStrategy(sample, readStrategy('adaptive'), 3000, prices)).toEqual(once);
  });

  it('counts calls that the strategy would refuse', async () => {
    const { refused, calls } = simulateStrategy(await sessions(1), readStrategy('default'), 5, prices);
    expect(calls).toBe(0);
    expect(refused).toBeGreaterThan(0);
  });
});
