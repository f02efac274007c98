import type { ContextFormat } from '@palimpsest/client';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { command, type CommonOptions, run } from './command.js';
import { deploymentEnvironment } from './environment.js';
import { addCheckpoints } from './families/checkpoints.js';
import { addCheckModel } from './families/check-model.js';
import { addDeadLetters } from './families/dead-letters.js';
import { addGenerations } from './families/generations.js';
import { addJobs } from './families/jobs.js';
import { addKeys } from './families/keys.js';
import { addLedger } from './families/ledger.js';
import { addStrategies } from './families/strategies.js';
import { IMPORT_FORMATS, ImportError, type ImportFormat } from './import/import-item.js';
import { CommandError, createOutput, UsageError } from './output.js';

// Commands are loaded when called: a stack takes a second to load, help and usage errors should not.
const program = new Command('palimpsest')
  .description(
    'Memory and its bill for LLM agents, from the event log. Results on stdout, progress on stderr.',
  )
  .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 called wrongly.')
  .exitOverride()
  .showHelpAfterError('(--help shows how to call it)');

command(program, 'start', 'run the embedded stack; imports the samples when the store is empty')
  .option('--once', 'print the demonstration and exit')
  .action((options: CommonOptions & { once?: boolean }) =>
    run(options, async (environment, output) =>
      (await import('./commands/start.js')).startCommand(
        { once: options.once === true },
        environment,
        output,
      ),
    ),
  );
command(program, 'import', 'read files of sessions into the log; importing again changes nothing')
  .argument('<format>', IMPORT_FORMATS.join(', '), parseFormat)
  .argument('<files...>', 'files to read, in order')
  .action((format: ImportFormat, files: string[], options: CommonOptions) =>
    run(options, async (environment, output) =>
      (await import('./commands/import.js')).importCommand(format, files, environment, output),
    ),
  );
command(program, 'context', 'what the API would answer for the next call of a conversation')
  .argument('<conversation>', 'its id')
  .option('--budget <tokens>', 'tokens the whole context may have', parseBudget, 8000)
  .addOption(
    new Option('--format <format>', 'of the messages')
      .choices(['openai', 'anthropic', 'ai-sdk', 'text'])
      .default('openai'),
  )
  .action((conversation: string, options: CommonOptions & { budget: number; format: ContextFormat }) =>
    run(options, async (environment, output) =>
      (await import('./commands/context.js')).contextCommand(conversation, options, environment, output),
    ),
  );
command(program, 'sql', 'ask the ledger (ClickHouse SQL, read-only)')
  .argument('<query>', 'e.g. "select * from cost_per_completed_task"')
  .action((query: string, options: CommonOptions) =>
    run(options, async (environment, output) =>
      (await import('./commands/sql.js')).sqlCommand(query, environment, output),
    ),
  );
command(program, 'doctor', 'check everything the stack needs and say what is wrong').action(
  (options: CommonOptions) =>
    run(options, async (environment, output) =>
      (await import('./commands/doctor.js')).doctorCommand(environment, output),
    ),
);
addGenerations(program);
addKeys(program);
addCheckpoints(program);
addDeadLetters(program);
addLedger(program);
addStrategies(program);
addJobs(program);
addCheckModel(program);

const topics = program
  .command('topics')
  .description('the topics of a Kafka cluster, as schemas/topics.json declares');
for (const [name, description] of [
  ['apply', 'create what is missing and set settings as declared'],
  ['check', 'say where the cluster is not as declared; changes nothing'],
] as const) {
  topics
    .command(name)
    .description(`${description} (PALIMPSEST_KAFKA_BROKERS …, see docs/configuration.md)`)
    .option('--json', 'one JSON value on stdout')
    .option('--replication <copies>', 'copies of each partition, where the cluster is smaller', parseCopies)
    .action(async (options: { json?: boolean; replication?: number }) => {
      const commands = await import('./commands/topics.js');
      const work = name === 'apply' ? commands.applyTopicsCommand : commands.checkTopicsCommand;
      await work(options, deploymentEnvironment(), createOutput(options.json === true));
    });
}
program
  .command('schemas')
  .description('the Avro schemas of the events in a schema registry')
  .command('register')
  .description('register the schemas of this build (PALIMPSEST_REGISTRY_URL)')
  .option('--json', 'one JSON value on stdout')
  .action(async (options: { json?: boolean }) => {
    const { registerSchemasCommand } = await import('./commands/schemas.js');
    await registerSchemasCommand(deploymentEnvironment(), createOutput(options.json === true));
  });

function parseBudget(text: string): number {
  const budget = Number(text);
  if (!Number.isInteger(budget) || budget < 1)
    throw new InvalidArgumentError('give a whole number of tokens.');
  return budget;
}

function parseCopies(text: string): number {
  const copies = Number(text);
  if (!Number.isInteger(copies) || copies < 1) throw new InvalidArgumentError('give a whole number from 1.');
  return copies;
}

function parseFormat(text: string): ImportFormat {
  const format = IMPORT_FORMATS.find((one) => one === text);
  if (format === undefined) throw new InvalidArgumentError(`choose one of ${IMPORT_FORMATS.join(', ')}.`);
  return format;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const known =
      error instanceof CommandError || error instanceof UsageError || error instanceof ImportError;
    process.stderr.write(`${known ? (error as Error).message : describe(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Message and causes; the stack is for PALIMPSEST_LOG_LEVEL=debug. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\n  because: ${describe(error.cause)}`;
  return `${error.message}${cause}`;
}
