import type { Command } from 'commander';
import { type Environment, readEnvironment } from './environment.js';
import { createOutput, type Output } from './output.js';

/** Options of every command that needs a store. */
export interface CommonOptions {
  json?: boolean;
  data?: string;
}

/** A command under `parent` with the options that all have. */
export function command(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'one JSON value on stdout')
    .option('--data <folder>', 'data folder of the embedded stack (default .palimpsest, or PALIMPSEST_DATA)');
}

export async function run(
  options: CommonOptions,
  work: (environment: Environment, output: Output) => Promise<void>,
): Promise<void> {
  const given = options.data === undefined ? {} : { PALIMPSEST_DATA: options.data };
  await work(readEnvironment(given), createOutput(options.json === true));
}
