import { writeFileSync } from 'node:fs';
import { findGeneration } from '@palimpsest/views';
import type { Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { compareGenerations, meansOf } from '../replay/compare-generations.js';
import { comparisonPage } from '../replay/comparison-page.js';
import { comparisonTable } from '../replay/comparison-table.js';
import { withStore } from '../stack/with-store.js';

export interface DiffOptions {
  budget: number;
  sample: number;
  html?: string;
}

/** `palimpsest diff <a> <b>`: contexts of the same conversations under two generations. */
export async function diffCommand(
  [a, b]: [number, number],
  options: DiffOptions,
  environment: Environment,
  output: Output,
): Promise<void> {
  await withStore(environment, output.progress, async ({ pool }) => {
    const [first, second] = await Promise.all(
      [a, b].map(async (number) => {
        const found = await findGeneration(pool, number);
        if (found !== null && found.status !== 'retired') return found;
        throw new CommandError(
          `There are no views of generation ${number}: "palimpsest generations" lists those there are.`,
        );
      }),
    );
    if (first === undefined || second === undefined) return;
    const comparison = await compareGenerations(pool, [first, second], { ...options, now: Date.now() });
    if (options.html !== undefined) {
      writeFileSync(options.html, comparisonPage(comparison));
      output.progress(`Written to ${options.html}.`);
    }
    output.line(comparisonTable(comparison));
    const means = (['a', 'b'] as const).map((side) => meansOf(comparison.conversations, side));
    output.value({ ...comparison, mean_a: means[0], mean_b: means[1] });
  });
}
