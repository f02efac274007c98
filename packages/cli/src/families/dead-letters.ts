import type { Command } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

/** `palimpsest dead-letters list | show | replay`. */
export function addDeadLetters(program: Command): void {
  const letters = program
    .command('dead-letters')
    .description(
      'records that a consumer could not handle (the embedded stack, or PALIMPSEST_POSTGRES_URL …)',
    );
  command(letters, 'list', 'those not replayed yet, oldest first')
    .option('--all', 'the replayed ones as well')
    .action((options: CommonOptions & { all?: boolean }) =>
      run(options, async (environment, output) =>
        (await import('../commands/dead-letters.js')).listDeadLettersCommand(options, environment, output),
      ),
    );
  command(letters, 'show', 'one with its error, its headers and its bytes')
    .argument('<place>', 'consumer/topic/partition/offset, as "list" shows it')
    .action((place: string, options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/dead-letters.js')).showDeadLetterCommand(place, environment, output),
      ),
    );
  command(letters, 'replay', 'append them to their topic again, once their cause is mended')
    .argument('[places...]', 'as "list" shows them')
    .option('--all', 'all that were not replayed yet')
    .action((places: string[], options: CommonOptions & { all?: boolean }) =>
      run(options, async (environment, output) =>
        (await import('../commands/dead-letters.js')).replayDeadLettersCommand(
          { places, all: options.all === true },
          environment,
          output,
        ),
      ),
    );
}
