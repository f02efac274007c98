import { type Command, InvalidArgumentError, Option } from 'commander';
import { createOutput } from '../output.js';
import type { CheckModelOptions } from '../commands/check-model.js';

/** `palimpsest check-model`. */
export function addCheckModel(program: Command): void {
  program
    .command('check-model')
    .description(
      'what an endpoint can do for summaries and facts, with about fifteen requests (default: PALIMPSEST_MODEL_URL …)',
    )
    .option('--url <url>', 'its address, up to the version')
    .option('--model <name>', 'the model asked there')
    .addOption(new Option('--protocol <protocol>', 'what is spoken there').choices(['openai', 'anthropic']))
    .option('--too-long <tokens>', 'a prompt to be refused; 0 = not tried', whole, 40_000)
    .option('--json', 'one JSON value on stdout')
    .action(async (options: CheckModelOptions & { json?: boolean }) => {
      const { checkModelCommand } = await import('../commands/check-model.js');
      await checkModelCommand(options, createOutput(options.json === true));
    });
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('give a whole number from 0.');
  return value;
}
