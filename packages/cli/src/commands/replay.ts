import { strategyNamed } from '@palimpsest/service-host';
import { type Strategy, StrategyFileError } from '@palimpsest/strategy';
import { type Generation, liveGeneration } from '@palimpsest/views';
import cliProgress from 'cli-progress';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import {
  type Build,
  type BuildParts,
  generationFor,
  type Progress,
  startBuild,
} from '../replay/build-generation.js';
import { promote } from '../replay/promote.js';
import type { ReplayScope } from '../replay/scope.js';
import { withBuildParts } from '../replay/with-build-parts.js';

export interface ReplayOptions extends ReplayScope {
  strategy: string;
}

/** `palimpsest replay`: builds a generation beside the live one; what was broken off goes on. */
export async function replayCommand(
  { strategy: file, ...scope }: ReplayOptions,
  environment: Environment,
  output: Output,
): Promise<void> {
  const strategy = readStrategy(file);
  await withBuildParts(environment, output, async (parts) => {
    const generation = await generationFor(parts.pool, strategy, scope);
    const took = await buildWithBar(parts, generation, output);
    const next =
      generation.scope === null
        ? `"palimpsest diff ${(await liveGeneration(parts.pool))?.generation ?? '…'} ${generation.generation}" compares, "palimpsest promote ${generation.generation}" switches.`
        : 'It is made of a part of the log: for comparison only.';
    output.line(
      `Generation ${generation.generation} of ${strategy.label} is built: ${took.events} events in ${took.seconds} s. ${next}`,
    );
    output.value({ generation: generation.generation, strategy: strategy.label, ...took });
  });
}

/**
 * `palimpsest rebuild`: all views from the log by the live strategy (or one named, where there is none), then the switch.
 * Into an empty Postgres it is the same.
 */
export async function rebuildCommand(
  options: { strategy?: string },
  environment: Environment,
  output: Output,
): Promise<void> {
  await withBuildParts(environment, output, async (parts) => {
    const live = await liveGeneration(parts.pool);
    const strategy =
      live === null || options.strategy !== undefined
        ? readStrategy(options.strategy ?? 'default')
        : { settings: { name: live.strategyName }, version: live.strategyVersion, canonical: live.strategy };
    const generation = await generationFor(parts.pool, strategy as Strategy, {});
    const took = await buildWithBar(parts, generation, output);
    const { from } = await promote(parts, generation.generation, {
      handOverMs: HAND_OVER_MS,
      say: output.progress,
    });
    output.line(
      `Rebuilt as generation ${generation.generation}: ${took.events} events in ${took.seconds} s. It is live` +
        (from === null ? '.' : `; generation ${from.generation} stands by ("palimpsest retire" drops it).`),
    );
    output.value({ generation: generation.generation, from: from?.generation ?? null, ...took });
  });
}

/** Twice as long as services take to look which generations there are. */
export const HAND_OVER_MS = 2000;

/** A strategy file's or a preset's. Throws with the line and what to write there. */
export function readStrategy(file: string): Strategy {
  try {
    return strategyNamed(file, '--strategy');
  } catch (error) {
    if (error instanceof StrategyFileError) throw new UsageError(error.message);
    throw new CommandError((error as Error).message, { cause: error });
  }
}

async function buildWithBar(
  parts: BuildParts,
  generation: Generation,
  output: Output,
): Promise<{ events: number; seconds: number }> {
  output.progress(`Step 1 of 3: generation ${generation.generation} is there.`);
  const build: Build = await startBuild(parts, generation);
  output.progress('Step 2 of 3: its consumers run.');
  const bar = new cliProgress.SingleBar(
    {
      format:
        '{bar} {percentage}% | {value}/{total} events | {rate} events/s | {left} left | {jobs} model jobs',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
      noTTYOutput: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const begin = performance.now();
  let isShown = false;
  let last: Progress = { handled: 0, total: 0, jobs: 0 };
  try {
    await Promise.race([
      build.caughtUp((progress) => {
        if (!isShown) bar.start(progress.total, progress.handled, { rate: '…', left: '…', jobs: 0 });
        isShown = true;
        last = progress;
        const seconds = (performance.now() - begin) / 1000;
        const rate = (progress.handled - build.handledBefore) / seconds;
        bar.update(progress.handled, {
          rate: Math.round(rate),
          left: rate > 0 ? `${Math.ceil((progress.total - progress.handled) / rate)} s` : '…',
          jobs: progress.jobs,
        });
      }),
      build.done,
    ]);
  } finally {
    bar.stop();
    await build.stop();
  }
  output.progress('Step 3 of 3: it has caught up.');
  return {
    events: last.total - build.handledBefore,
    seconds: Number(((performance.now() - begin) / 1000).toFixed(1)),
  };
}
