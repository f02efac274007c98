import type { Command } from 'commander';
import { command, type CommonOptions, run } from '../command.js';
import type { RepriceOptions } from '../commands/ledger-prices.js';

/** `palimpsest ledger prices import | reprice | audit`. */
export function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('the bill (PALIMPSEST_CLICKHOUSE_URL, or the embedded stack while it is stopped)');
  const prices = ledger.command('prices').description('what models cost');
  command(
    prices,
    'import',
    'lines of LiteLLM’s model_prices_and_context_window.json; the past keeps its cost',
  )
    .argument('<file>', 'the JSON file')
    .option('--from <day>', 'first day the prices hold, UTC (default today)')
    .option('--free', 'take a model whose every price is 0 for free (the file writes 0 also for "not known")')
    .action((file: string, options: CommonOptions & { from?: string; free?: boolean }) =>
      run(options, async (environment, output) =>
        (await import('../commands/ledger-prices.js')).importPricesCommand(
          file,
          options,
          environment,
          output,
        ),
      ),
    );
  command(ledger, 'reprice', 'price answers of the past by the prices of now; leaves a trace in "repricings"')
    .option('--tenant <tenant>', 'answers of one tenant')
    .option('--provider <provider>', 'answers of one provider, as steps name it')
    .option('--model <model>', 'answers of one model')
    .option('--from <day>', 'from this day on, UTC')
    .option('--until <day>', 'before this day, UTC')
    .option('--unpriced', 'only those without a cost')
    .option('--all', 'every answer there is: needed where nothing above is said')
    .option('--dry-run', 'count, and change nothing')
    .option('--note <text>', 'why, for the trace')
    .action((options: CommonOptions & RepriceOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/ledger-prices.js')).repriceCommand(options, environment, output),
      ),
    );
  command(ledger, 'audit', 'hold the ledger against the log; exit code 1 where they differ').action(
    (options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/ledger-audit.js')).auditCommand(environment, output),
      ),
  );
}
