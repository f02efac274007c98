import { type Command, Option } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

const STATES = ['waiting', 'running', 'failed', 'rejected', 'made', 'reused', 'skipped'] as const;
type State = (typeof STATES)[number];

/** `palimpsest jobs list | show | retry`. */
export function addJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .description(
      'questions to the model, and what became of them (the embedded stack, or PALIMPSEST_POSTGRES_URL …)',
    );
  command(jobs, 'list', 'those under way, then those that ended, the newest first')
    .addOption(new Option('--state <states...>', 'only these').choices(STATES))
    .option('--conversation <id>', 'only of this conversation')
    .option('--limit <n>', 'how many at most', Number, 50)
    .action((options: CommonOptions & { state?: State[]; conversation?: string; limit: number }) =>
      run(options, async (environment, output) =>
        (await import('../commands/jobs.js')).listJobsCommand(options, environment, output),
      ),
    );
  command(jobs, 'show', 'one, with its hashes and the answers that were refused')
    .argument('<id>', 'as "list" shows it')
    .action((id: string, options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/jobs.js')).showJobCommand(id, environment, output),
      ),
    );
  command(
    jobs,
    'retry',
    'ask again, with all tries: jobs that failed or were rejected, or any that ended by id',
  )
    .argument('[ids...]', 'as "list" shows them')
    .option('--all', 'all that failed or were rejected')
    .action((ids: string[], options: CommonOptions & { all?: boolean }) =>
      run(options, async (environment, output) =>
        (await import('../commands/jobs.js')).retryJobsCommand(
          { ids, all: options.all === true },
          environment,
          output,
        ),
      ),
    );
}
