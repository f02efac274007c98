import { GenerationError, listGenerations, previousGeneration, retireGeneration } from '@palimpsest/views';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { promote } from '../replay/promote.js';
import { withBuildParts } from '../replay/with-build-parts.js';
import { withStore } from '../stack/with-store.js';
import { HAND_OVER_MS } from './replay.js';

/** `palimpsest generations`. */
export async function generationsCommand(environment: Environment, output: Output): Promise<void> {
  await withStore(environment, output.progress, async ({ pool }) => {
    const found = await listGenerations(pool);
    const table = new Table({
      head: ['generation', 'strategy', 'status', 'made', 'live since', 'part'],
      style: { head: [] },
    });
    for (const one of found) {
      const label = `${one.strategyName}@${one.strategyVersion}`;
      const dates = [one.createdAt.toISOString(), one.liveSince?.toISOString() ?? ''];
      table.push([one.generation, label, one.status, ...dates, one.scope ?? 'all']);
    }
    output.line(found.length === 0 ? 'There are no generations yet.' : table.toString());
    output.value(
      found.map((one) => ({
        generation: one.generation,
        strategy: `${one.strategyName}@${one.strategyVersion}`,
        status: one.status,
        created_at: one.createdAt,
        live_since: one.liveSince,
        scope: one.scope === null ? null : (JSON.parse(one.scope) as object),
      })),
    );
  });
}

/** `palimpsest promote`: switches once the generation has reached the live one. */
export async function promoteCommand(
  generation: number,
  environment: Environment,
  output: Output,
): Promise<void> {
  await switching(() =>
    withBuildParts(environment, output, async (parts) => {
      const { from, heldMs } = await promote(parts, generation, {
        handOverMs: HAND_OVER_MS,
        say: output.progress,
      });
      output.line(
        `Generation ${generation} is live, with no record behind the one before it; the switch took ${heldMs} ms.` +
          (from === null || from.generation === generation
            ? ''
            : ` "palimpsest rollback" switches back to generation ${from.generation}, which goes on following the log.`),
      );
      output.value({ generation, from: from?.generation ?? null, lag: 0, held_ms: heldMs });
    }),
  );
}

/** `palimpsest rollback`: back to the generation that was live before, as long as it is not retired. */
export async function rollbackCommand(environment: Environment, output: Output): Promise<void> {
  await switching(() =>
    withBuildParts(environment, output, async (parts) => {
      const previous = await previousGeneration(parts.pool);
      if (previous === null) {
        throw new CommandError('No generation stands by: there is nothing to switch back to.');
      }
      const { from, heldMs } = await promote(parts, previous.generation, { say: output.progress });
      output.line(`Generation ${previous.generation} is live again; the switch took ${heldMs} ms.`);
      output.value({
        generation: previous.generation,
        from: from?.generation ?? null,
        lag: 0,
        held_ms: heldMs,
      });
    }),
  );
}

/** `palimpsest retire`: drops the partitions of a generation that is not live. */
export async function retireCommand(
  generation: number,
  environment: Environment,
  output: Output,
): Promise<void> {
  await switching(() =>
    withStore(environment, output.progress, async ({ pool }) => {
      await retireGeneration(pool, generation);
      output.line(`Generation ${generation} is retired; its partitions are dropped.`);
      output.value({ generation, status: 'retired' });
    }),
  );
}

async function switching(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof GenerationError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
