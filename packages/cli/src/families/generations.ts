import { type Command, InvalidArgumentError } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

/** `palimpsest replay | generations | promote | rollback | retire | rebuild`. */
export function addGenerations(program: Command): void {
  const replay = command(program, 'replay', 'build views by another strategy beside the live ones');
  replay
    .requiredOption('--strategy <file>', 'YAML file, or name of a preset')
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

function parseGeneration(text: string): number {
  const generation = Number(text);
  if (!Number.isInteger(generation) || generation < 1) {
    throw new InvalidArgumentError('give a number, as "palimpsest generations" lists them.');
  }
  return generation;
}
