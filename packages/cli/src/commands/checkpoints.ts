import {
  type ListedCheckpoint,
  listCheckpoints,
  resetCheckpoints,
  type ResetOptions,
  ViewsHoldOffsetsError,
} from '@palimpsest/runtime';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { withStore } from '../stack/with-store.js';

/** `palimpsest checkpoints list`: fails, with exit code 1, where a checkpoint cannot be read from. */
export async function listCheckpointsCommand(environment: Environment, output: Output): Promise<void> {
  const found = await withStore(environment, output.progress, ({ pool, withLog }) =>
    withLog((log) => listCheckpoints(pool, log)),
  );
  const table = new Table({
    head: ['generation', 'consumer', 'partition', 'next', 'kept from', 'end', 'lag', 'state'],
    style: { head: [] },
  });
  for (const one of found) {
    const { generation, consumer, nextOffset, low, high, state } = one;
    const offsets = [nextOffset, low, high, lagOf(one)].map(String);
    table.push([generation, consumer, placeOf(one), ...offsets, state]);
  }
  output.line(found.length === 0 ? 'No consumer has a checkpoint yet.' : table.toString());
  output.value(found.map((one) => described(one)));
  const lost = found.filter(({ state }) => state !== 'readable');
  if (lost.length === 0) return;
  throw new CommandError(
    `${lost.length} of ${found.length} checkpoints cannot be read from, and their consumers stop. Restore the topic, or ` +
      `begin anew with "palimpsest checkpoints reset" (docs/runbook.md, "Retention passed the checkpoint").`,
  );
}

/** `palimpsest checkpoints reset`. */
export async function resetCheckpointsCommand(
  options: ResetOptions,
  environment: Environment,
  output: Output,
): Promise<void> {
  const reset = await withStore(environment, output.progress, ({ pool, withLog }) =>
    withLog((log) => resetCheckpoints(pool, log, options)),
  ).catch((error: unknown) => {
    if (error instanceof ViewsHoldOffsetsError) throw new CommandError(error.message, { cause: error });
    throw error;
  });
  for (const one of reset) {
    const { generation, consumer, nextOffset, low, state } = one;
    const lost = state === 'below retention' ? `; ${low - nextOffset} records are lost to it` : '';
    output.line(
      `${consumer} (generation ${generation}) ${placeOf(one)} was ${state} at ${nextOffset}, begins at ${low}${lost}`,
    );
  }
  if (reset.length === 0)
    output.line('Every checkpoint that was meant can be read from: nothing was changed.');
  output.value({ reset: reset.map((one) => described(one)) });
}

const placeOf = ({ topic, partition }: ListedCheckpoint): string => `${topic}[${partition}]`;

function lagOf({ state, nextOffset, low, high }: ListedCheckpoint): bigint {
  if (state === 'readable') return high - nextOffset;
  return state === 'behind the end' ? 0n : high - low;
}

function described(one: ListedCheckpoint): Record<string, unknown> {
  const { generation, consumer, topic, partition, nextOffset, low, high, state, updatedAt } = one;
  return {
    generation,
    consumer,
    topic,
    partition,
    next_offset: String(nextOffset),
    low: String(low),
    high: String(high),
    lag: String(lagOf(one)),
    state,
    updated_at: updatedAt.toISOString(),
  };
}
