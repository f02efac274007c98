import { type Command, InvalidArgumentError } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

/** `palimpsest checkpoints list | reset`. */
export function addCheckpoints(program: Command): void {
  const checkpoints = program
    .command('checkpoints')
    .description('where consumers go on in the log (the embedded stack, or PALIMPSEST_POSTGRES_URL …)');
  command(
    checkpoints,
    'list',
    'all beside what the log has there; fails where one cannot be read from',
  ).action((options: CommonOptions) =>
    run(options, async (environment, output) =>
      (await import('../commands/checkpoints.js')).listCheckpointsCommand(environment, output),
    ),
  );
  command(checkpoints, 'reset', 'let those that cannot be read from begin at the first record kept')
    .requiredOption('--topic <name>', 'only checkpoints in this topic')
    .option('--consumer <name>', 'only those of this consumer')
    .option('--generation <number>', 'only those of this generation', parseNumber)
    .option('--partition <number>', 'only those in this partition', parseNumber)
    .option(
      '--forget-views',
      'empty the views that hold offsets of a topic that is gone; they are made anew',
      false,
    )
    .action((options: CommonOptions & ResetArguments) =>
      run(options, async (environment, output) => {
        const { topic, consumer, generation, partition, forgetViews } = options;
        const narrow = Object.entries({ consumer, generation, partition });
        const given = Object.fromEntries(narrow.filter(([, value]) => value !== undefined));
        const { resetCheckpointsCommand } = await import('../commands/checkpoints.js');
        await resetCheckpointsCommand({ topic, forgetViews, ...given }, environment, output);
      }),
    );
}

interface ResetArguments {
  topic: string;
  consumer?: string;
  generation?: number;
  partition?: number;
  forgetViews: boolean;
}

function parseNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('give a whole number from 0.');
  return Number(text);
}
