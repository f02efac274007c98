import type { Strategy } from '@palimpsest/strategy';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { eventsOfFiles, eventsOfLog, sampleSessions, type Session } from '../simulate/sessions.js';
import { type InputPrices, simulateStrategy, type Simulated } from '../simulate/simulate-strategy.js';
import { withStore } from '../stack/with-store.js';
import { readStrategy } from './strategies.js';

export interface SimulateOptions extends InputPrices {
  strategy: string[];
  sample: number;
  /** Undefined = each strategy's own. */
  budget?: number;
  /** Files of events, in place of the log. */
  files?: string[];
}

/** `palimpsest simulate`: strategies side by side on recorded sessions. No model is called, no summaries are made. */
export async function simulateCommand(
  options: SimulateOptions,
  environment: Environment,
  output: Output,
): Promise<void> {
  if (options.strategy.length === 0)
    throw new UsageError('Name at least one strategy: a preset, or a .yaml file.');
  const strategies = options.strategy.map((name) => readStrategy(name));
  const sessions = await sessionsOf(options, environment, output);
  if (sessions.length === 0) {
    throw new CommandError(
      'There are no recorded sessions: "palimpsest import" brings some, or give --files.',
    );
  }
  const results: Simulated[] = [];
  for (const strategy of strategies) {
    output.progress(`${strategy.label} on ${sessions.length} sessions…`);
    results.push(simulateStrategy(sessions, strategy, budgetOf(strategy, options), options));
  }
  output.line(tableOf(results));
  output.line(
    `USD of input at ${options.input} per million tokens and ${options.cached} from the provider's cache; no summaries: no model was called.`,
  );
  output.value({ sessions: sessions.map(({ conversation }) => conversation), results });
}

function budgetOf(strategy: Strategy, { budget }: SimulateOptions): number {
  return budget ?? strategy.settings.budget.default;
}

async function sessionsOf(
  { files, sample }: SimulateOptions,
  environment: Environment,
  output: Output,
): Promise<Session[]> {
  if (files !== undefined && files.length > 0) return sampleSessions(eventsOfFiles(files), sample);
  return withStore(environment, output.progress, (store) =>
    store.withLog(async (log) => {
      const codec = await store.codec();
      output.progress(`Reading the log of ${store.name}…`);
      const decode = (record: { value: Buffer | null; headers: Record<string, string> }) =>
        codec.decode(record.value as Buffer, record.headers);
      return sampleSessions(eventsOfLog(log, decode), sample);
    }),
  );
}

function tableOf(results: readonly Simulated[]): string {
  const table = new Table({
    head: [
      'strategy',
      'calls',
      'input tokens',
      'of the whole',
      'USD',
      'ids kept',
      'stable prefix',
      'left out',
      'refused',
    ],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const one of results) {
    table.push([
      one.strategy,
      one.calls,
      one.tokens.toLocaleString('en'),
      percent(one.naive_tokens === 0 ? null : one.tokens / one.naive_tokens),
      `${one.usd} (${one.naive_usd})`,
      percent(one.identifiers_kept),
      percent(one.stable_prefix),
      percent(one.left_out),
      one.refused,
    ]);
  }
  return table.toString();
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)}%`;
}
