import { type Command, InvalidArgumentError } from 'commander';
import { command, type CommonOptions, run } from '../command.js';
import type { SimulateOptions } from '../commands/simulate.js';
import { createOutput } from '../output.js';

/** `palimpsest strategies list | show | check`, `advise` and `simulate`. */
export function addStrategies(program: Command): void {
  const strategies = program
    .command('strategies')
    .description('the rules by which a conversation becomes a context');
  const json = ['--json', 'one JSON value on stdout'] as const;
  strategies
    .command('list')
    .description('the presets of this build')
    .option(...json)
    .action(async (options: CommonOptions) =>
      (await import('../commands/strategies.js')).listStrategiesCommand(createOutput(options.json === true)),
    );
  strategies
    .command('show')
    .description('a strategy with all its settings')
    .argument('<name>', 'a preset, or a .yaml file')
    .option(...json)
    .action(async (name: string, options: CommonOptions) =>
      (await import('../commands/strategies.js')).showStrategyCommand(
        name,
        createOutput(options.json === true),
      ),
    );
  strategies
    .command('check')
    .description('say what is wrong with a strategy file, line by line; exit code 1 where something is')
    .argument('<file>', 'the .yaml file')
    .option(...json)
    .action(async (file: string, options: CommonOptions) =>
      (await import('../commands/strategies.js')).checkStrategyCommand(
        file,
        createOutput(options.json === true),
      ),
    );
  command(program, 'advise', 'which strategy serves a recorded conversation, or one that you describe')
    .argument(
      '[conversation or answers...]',
      'its id, or answers such as calls=40 result_tokens=3000 has_state=yes',
    )
    .option('--budget <tokens>', 'tokens of one call', wholeNumber, 8000)
    .action((given: string[], options: CommonOptions & { budget: number }) =>
      run(options, async (environment, output) =>
        (await import('../commands/advise.js')).adviseCommand(given, options, environment, output),
      ),
    );
  command(program, 'simulate', 'compare strategies on recorded sessions, without a model')
    .requiredOption('--strategy <names...>', 'presets or .yaml files')
    .option('--sample <n>', 'sessions of the log, the same ones in every run', wholeNumber, 20)
    .option('--budget <tokens>', "tokens of one call (default: each strategy's own)", wholeNumber)
    .option('--files <files...>', 'files of events (JSONL) in place of the log')
    .option('--input <usd>', 'price of a million input tokens', price, 3)
    .option('--cached <usd>', "price of a million input tokens from the provider's cache", price, 0.3)
    .action((options: CommonOptions & SimulateOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/simulate.js')).simulateCommand(options, environment, output),
      ),
    );
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('give a whole number from 1.');
  return number;
}

function price(text: string): number {
  const usd = Number(text);
  if (!(usd >= 0) || text.trim() === '') throw new InvalidArgumentError('give a price in USD.');
  return usd;
}
