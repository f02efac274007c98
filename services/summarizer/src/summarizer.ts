import {
  type BlockSource,
  DEFAULT_SETTINGS,
  type DerivationDependencies,
  type DerivationSettings,
  type RunningDerivation,
  SMALLEST_BLOCK,
  startDerivation,
} from '@palimpsest/derivations';
import type { SummaryMadeEvent } from '@palimpsest/events';
import type { Strategy } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { askForSummary } from './ask-for-summary.js';
import { projectSummaries } from './project-summaries.js';

export interface SummarizerOptions extends DerivationDependencies {
  settings?: Partial<DerivationSettings>;
}

/** The summarizer of a generation by its strategy; null where the strategy has no summaries. */
export async function createSummarizerFor({
  strategy,
  ...dependencies
}: Omit<DerivationDependencies, 'strategy'> & { strategy: Strategy }): Promise<RunningDerivation | null> {
  const settings = summarySettings(strategy);
  if (settings === null) return null;
  return createSummarizer({ ...dependencies, strategy: strategy.label, settings });
}

/** What a strategy asks of summaries; null where it has none. */
export function summarySettings({ settings: { summary } }: Strategy): DerivationSettings | null {
  if (summary === null) return null;
  const { block, keep_live, leaf_tokens } = summary;
  return { ...DEFAULT_SETTINGS, block, keepLive: keep_live, maxTokens: leaf_tokens };
}

/** Whether a block is worth a call. */
export function isWorthSummarizing({ messages }: Pick<BlockSource, 'messages'>): boolean {
  return messages.length >= SMALLEST_BLOCK;
}

function count(text: string): number {
  return tokenCounter(null).count(text);
}

/**
 * Starts the summarizer: blocks of a conversation become leaf summaries in `palimpsest.summaries`. Resolves when it
 * consumes and its worker runs.
 */
export async function createSummarizer(options: SummarizerOptions): Promise<RunningDerivation> {
  const { settings: given, ...dependencies } = options;
  const settings = { ...DEFAULT_SETTINGS, ...given };
  const { model, metrics, generation } = dependencies;
  return startDerivation(
    {
      name: 'summarizer',
      purpose: 'summary',
      isWorthAsking: isWorthSummarizing,
      async derive({ job, source, calls }, signal) {
        const request = {
          messages: source.messages,
          language: job.language,
          agentType: job.agent_type ?? null,
          tenant: job.tenant,
          maxTokens: settings.maxTokens,
        };
        const result = await askForSummary(
          { model, request, sourceTokens: source.tokens, count, calls },
          signal,
        );
        metrics.model_calls_total.inc({
          provider: model.provider,
          outcome: result.ok ? 'ok' : result.reason,
        });
        if (!result.ok) return { kind: 'rejected', reason: result.reason, answer: result.answer };
        const { text, carried, stopReason } = result;
        return { kind: 'summary', text, carried, model: result.model, stopReason, language: job.language };
      },
      project: (tx, events) =>
        projectSummaries(
          tx,
          generation,
          events.filter((event): event is SummaryMadeEvent => event.type === 'summary_made'),
          count,
        ),
    },
    dependencies,
    settings,
  );
}
