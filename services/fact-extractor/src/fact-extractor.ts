import {
  type BlockSource,
  DEFAULT_SETTINGS,
  type DerivationDependencies,
  type DerivationSettings,
  type RunningDerivation,
  startDerivation,
} from '@palimpsest/derivations';
import { type FactsMadeEvent, TOPICS } from '@palimpsest/events';
import type { Strategy } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { askForFacts } from './ask-for-facts.js';
import { projectFacts } from './project-facts.js';

export interface FactExtractorOptions extends DerivationDependencies {
  settings?: Partial<DerivationSettings>;
}

/** Facts take nothing out of the view, so no live part is kept from them: the newest statements count at once. */
const FACT_SETTINGS: DerivationSettings = { ...DEFAULT_SETTINGS, keepLive: 0, maxTokens: 1500 };

/** What a strategy asks of facts; null where it has none. */
export function factSettings({ settings }: Strategy): DerivationSettings | null {
  return settings.facts === null ? null : FACT_SETTINGS;
}

/** Whether a block is worth a call: only users state facts. */
export function isWorthExtracting({ messages }: Pick<BlockSource, 'messages'>): boolean {
  return messages.some((message) => message.role === 'user');
}

/** The fact-extractor of a generation by its strategy; null where the strategy has no facts. */
export async function createFactExtractorFor({
  strategy,
  ...dependencies
}: Omit<DerivationDependencies, 'strategy'> & { strategy: Strategy }): Promise<RunningDerivation | null> {
  if (factSettings(strategy) === null) return null;
  return createFactExtractor({ ...dependencies, strategy: strategy.label });
}

/**
 * Starts the fact-extractor: what users state becomes rows of `palimpsest.facts`, answers that cannot be used go to
 * `palimpsest.facts_review`. Resolves when it consumes and its worker runs.
 */
export async function createFactExtractor(options: FactExtractorOptions): Promise<RunningDerivation> {
  const { settings: given, ...dependencies } = options;
  const settings = { ...FACT_SETTINGS, ...given };
  const { model, metrics, generation } = dependencies;
  const projection = {
    generation,
    partitions: await dependencies.log.partitions(TOPICS.messages),
    count: (text: string): number => tokenCounter(null).count(text),
  };
  return startDerivation(
    {
      name: 'fact-extractor',
      purpose: 'facts',
      isWorthAsking: isWorthExtracting,
      async derive({ job, source, calls }, signal) {
        const request = {
          messages: source.messages,
          language: job.language,
          timeZone: job.time_zone,
          agentType: job.agent_type ?? null,
          tenant: job.tenant,
          maxTokens: settings.maxTokens,
        };
        const result = await askForFacts(model, request, calls, signal);
        metrics.model_calls_total.inc({
          provider: model.provider,
          outcome: result.ok ? 'ok' : result.reason,
        });
        if (!result.ok) return { kind: 'rejected', reason: result.reason, answer: result.answer };
        const { facts, refused, stopReason } = result;
        if (refused !== null)
          metrics.model_calls_total.inc({ provider: model.provider, outcome: 'facts_refused' });
        return { kind: 'facts', facts, refused, model: result.model, stopReason };
      },
      project: (tx, events) =>
        projectFacts(
          tx,
          projection,
          events.filter((event): event is FactsMadeEvent => event.type === 'facts_made'),
        ),
    },
    dependencies,
    settings,
  );
}
