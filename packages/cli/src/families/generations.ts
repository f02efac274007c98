import { type Command, InvalidArgumentError } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

/** `palimpsest replay | generations | promote | rollback | retire | rebuild`. */
export function addGenerations(program: Command): void {
  const replay = command(program, 'replay', 'build views by another strategy beside the live ones');
  replay
    .requiredOption('--strategy <file>', 'YAML file, or name of a preset')
    .option('--dry-run', 'say what it would do, cost and take; write nothing')
    .option('--prices <input,output>', 'dollars per million tokens of the model, for --dry-run', parsePrices)
    .option('--tenant <name>', 'only conversations of this tenant, for comparison')
    .option('--conversation <ids...>', 'only these')
    .option('--agent <name>', 'only those that this agent took part in')
    .option('--from <time>', 'only those with an event since (ISO 8601)', parseTime)
    .option('--to <time>', 'only those with an event before', parseTime)
    .action((options: CommonOptions & ReplayArguments) =>
      run(options, async (environment, output) => {
        const { strategy, tenant, conversation, agent, from, to } = options;
        const scope = { tenant, conversations: conversation, agent, from, to };
        const given = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
        if (options.dryRun === true) {
          const { planCommand } = await import('../commands/plan.js');
          await planCommand({ strategy, ...given }, options.prices ?? null, environment, output);
          return;
        }
        const { replayCommand } = await import('../commands/replay.js');
        await replayCommand({ strategy, ...given }, environment, output);
      }),
    );
  command(program, 'rebuild', 'all views anew from the log, then the switch to them')
    .option('--strategy <file>', 'where nothing is live yet (default: the preset "default")')
    .action((options: CommonOptions & { strategy?: string }) =>
      run(options, async (environment, output) =>
        (await import('../commands/replay.js')).rebuildCommand(options, environment, output),
      ),
    );
  command(program, 'generations', 'the generations of views there are').action((options: CommonOptions) =>
    run(options, async (environment, output) =>
      (await import('../commands/generations.js')).generationsCommand(environment, output),
    ),
  );
  command(program, 'diff', 'contexts of the same conversations under two generations')
    .argument('<a>', 'number of a generation', parseGeneration)
    .argument('<b>', 'number of another', parseGeneration)
    .option('--budget <tokens>', 'of each context', parseCount, 8000)
    .option('--sample <n>', 'conversations at most', parseCount, 200)
    .option('--html <file>', 'write a page with plots, to show to a colleague')
    .action(
      (a: number, b: number, options: CommonOptions & { budget: number; sample: number; html?: string }) =>
        run(options, async (environment, output) =>
          (await import('../commands/diff.js')).diffCommand([a, b], options, environment, output),
        ),
    );
  command(program, 'promote', 'make a generation live, in one transaction')
    .argument('<generation>', 'its number', parseGeneration)
    .action((generation: number, options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/generations.js')).promoteCommand(generation, environment, output),
      ),
    );
  command(program, 'rollback', 'back to the generation that was live before').action(
    (options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/generations.js')).rollbackCommand(environment, output),
      ),
  );
  command(program, 'retire', 'drop a generation that is not live')
    .argument('<generation>', 'its number', parseGeneration)
    .action((generation: number, options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/generations.js')).retireCommand(generation, environment, output),
      ),
    );
}

interface ReplayArguments {
  strategy: string;
  dryRun?: boolean;
  prices?: { input: number; output: number };
  tenant?: string;
  conversation?: string[];
  agent?: string;
  from?: number;
  to?: number;
}

function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('give a time as 2026-12-01 or 2026-12-01T08:00:00Z.');
  return time;
}

function parsePrices(text: string): { input: number; output: number } {
  const [input, output, ...more] = text.split(',').map(Number);
  if (!isPrice(input) || !isPrice(output) || more.length > 0) {
    throw new InvalidArgumentError('give two prices, as 0.15,0.60.');
  }
  return { input, output };
}

function isPrice(price: number | undefined): price is number {
  return price !== undefined && price >= 0;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('give a whole number from 1.');
  return count;
}

function parseGeneration(text: string): number {
  const generation = Number(text);
  if (!Number.isInteger(generation) || generation < 1) {
    throw new InvalidArgumentError('give a number, as "palimpsest generations" lists them.');
  }
  return generation;
}
