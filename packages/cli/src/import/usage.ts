import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { numberOf, objectOf } from './json-values.js';

export interface UsageOfStep {
  /** The message that the usage stands at; WHOLE for one of the whole conversation. */
  index: number;
  stepIndex: number;
  provider: 'openai' | 'anthropic';
  model: string | undefined;
  usage: unknown;
}

type Counts = Record<string, number | undefined>;

/**
 * A `step` from a provider's usage object, as the provider counts: OpenAI's input includes what came from the cache,
 * Anthropic's does not. Skipped when a count is no whole number from 0 on. The task is the conversation.
 */
export function stepOfUsage(conversation: Conversation, step: UsageOfStep): ImportItem {
  const usage = objectOf(step.usage);
  const read = usage === undefined ? undefined : READERS[step.provider](usage);
  if (read === undefined || !isSound(read)) return conversation.skipped(step.index, 'the usage is not sound');
  return conversation.event(step.index, step.index === WHOLE ? 'step' : `step:${step.stepIndex}`, {
    type: 'step',
    task_id: conversation.id,
    step_index: step.stepIndex,
    provider: step.provider,
    model: step.model ?? 'unknown',
    usage: Object.fromEntries(Object.entries(read).filter(([, count]) => count !== undefined)),
    usage_semantics: step.provider === 'openai' ? 'input_includes_cache' : 'input_excludes_cache',
  });
}

const READERS: Record<UsageOfStep['provider'], (usage: Record<string, unknown>) => Counts> = {
  // chat completions say prompt and completion, responses say input and output
  openai(usage) {
    const input = objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);
    const output = objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);
    return {
      input: countOf(usage.prompt_tokens ?? usage.input_tokens) ?? Number.NaN,
      output: countOf(usage.completion_tokens ?? usage.output_tokens) ?? Number.NaN,
      cache_read: countOf(input?.cached_tokens),
      reasoning: countOf(output?.reasoning_tokens),
    };
  },
  anthropic(usage) {
    const written = objectOf(usage.cache_creation);
    return {
      input: countOf(usage.input_tokens) ?? Number.NaN,
      output: countOf(usage.output_tokens) ?? Number.NaN,
      cache_read: countOf(usage.cache_read_input_tokens),
      // without the split by lifetime all writes are of the default one, five minutes
      cache_write_5m: countOf(written?.ephemeral_5m_input_tokens ?? usage.cache_creation_input_tokens),
      cache_write_1h: countOf(written?.ephemeral_1h_input_tokens),
    };
  },
};

/** Undefined = not there; NaN = there and no number. */
function countOf(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : (numberOf(value) ?? Number.NaN);
}

function isSound(counts: Counts): boolean {
  return Object.values(counts).every(
    (count) => count === undefined || (Number.isSafeInteger(count) && count >= 0),
  );
}
