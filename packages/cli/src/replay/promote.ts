import { strategyFromCanonical } from '@palimpsest/strategy';
import {
  BehindError,
  findGeneration,
  type Generation,
  GenerationError,
  promoteGeneration,
} from '@palimpsest/views';
import { type BuildParts, startBuild } from './build-generation.js';

/** The switch holds the live generation's consumers up for so long at most. */
const HELD_MS = 5000;
const ATTEMPTS = 5;

export interface Switched {
  generation: Generation;
  /** That was live before; null where there was none. */
  from: Generation | null;
  /** How long the live consumers were held up, ms. */
  heldMs: number;
}

/**
 * Lets a generation catch up, then makes it live behind the barrier. It follows the log by itself until the services
 * have taken it over. One that stands by is followed by them already. Throws GenerationError.
 */
export async function promote(
  parts: BuildParts,
  number: number,
  { handOverMs = 0, say = () => undefined }: { handOverMs?: number; say?: (step: string) => void } = {},
): Promise<Switched> {
  const generation = await findGeneration(parts.pool, number);
  if (generation === null) {
    throw new GenerationError(`There is no generation ${number}: "palimpsest generations" lists them.`);
  }
  if (generation.status !== 'building') {
    say(`Step 1 of 1: generation ${number} is switched to.`);
    return switchTo(parts, generation);
  }
  say(`Step 1 of 3: generation ${number} catches up.`);
  const build = await startBuild(parts, generation);
  try {
    await Promise.race([build.caughtUp(), build.done]);
    say(`Step 2 of 3: generation ${number} is switched to.`);
    const switched = await switchTo(parts, generation);
    say('Step 3 of 3: the services take it over.');
    // Until the services have looked, nobody else follows the log for it.
    await new Promise((resolve) => setTimeout(resolve, handOverMs));
    return switched;
  } finally {
    await build.stop();
  }
}

async function switchTo({ pool }: BuildParts, generation: Generation): Promise<Switched> {
  const consumers = consumersOf(generation);
  for (let attempt = 1; ; attempt += 1) {
    const begin = performance.now();
    try {
      const from = await promoteGeneration(pool, generation.generation, { consumers, waitMs: HELD_MS });
      return { generation, from, heldMs: Math.round(performance.now() - begin) };
    } catch (error) {
      if (!(error instanceof BehindError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The consumers that a generation's strategy has, which must have come as far as the live one's. */
function consumersOf({ strategy }: Generation): string[] {
  const { summary, facts } = strategyFromCanonical(strategy).settings;
  const consumers = ['truncator'];
  if (summary !== null) consumers.push('summarizer', 'summarizer.projection');
  if (facts !== null) consumers.push('fact-extractor', 'fact-extractor.projection');
  return consumers;
}
