import type { Usage, UsageSemantics } from '@palimpsest/events';
import { InvalidUsageError } from '../normalize-usage.js';
import { readAnthropicUsage } from './read-anthropic-usage.js';
import { readGeminiUsage } from './read-gemini-usage.js';
import { readOpenAiUsage } from './read-openai-usage.js';
import { readOtelUsage } from './read-otel-usage.js';
import type { Fields } from './usage-fields.js';

/** The shapes in which providers report usage. Chat completions are spoken by many; `otel` are span attributes. */
export type UsageForm =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'deepseek'
  | 'openrouter'
  | 'otel';

export interface ReportedUsage {
  usage: Usage;
  /**
   * What `usage.input` means. `unknown` = the report contradicts itself (its parts are not its total): every count is
   * kept as reported, and the row will be flagged.
   */
  semantics: UsageSemantics;
}

/** What a reader of one form found, before it is held against the total. */
export interface UsageReading extends ReportedUsage {
  /** The provider's own sum of input and output; null where it tells none. */
  total: number | null;
  /** True: two counts of the report that must agree do not. */
  contradicts?: boolean;
}

const READERS: Readonly<Record<UsageForm, (fields: Fields) => UsageReading>> = {
  'openai-chat': readOpenAiUsage,
  'openai-responses': readOpenAiUsage,
  anthropic: readAnthropicUsage,
  gemini: readGeminiUsage,
  deepseek: readOpenAiUsage,
  openrouter: readOpenAiUsage,
  otel: readOtelUsage,
};

/**
 * A provider's usage object as a step carries it. Where the total shows that reasoning was left out of the output
 * (Gemini behind an OpenAI form, xAI), it is put in. Throws InvalidUsageError for what is no usage of that form.
 *
 * `readProviderUsage('openai-chat', { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 })`
 */
export function readProviderUsage(form: UsageForm, raw: unknown): ReportedUsage {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new InvalidUsageError(`The usage of form "${form}" is no object.`);
  }
  const { usage, semantics, total, contradicts } = READERS[form](raw as Fields);
  const reasoning = usage.reasoning ?? 0;
  if (contradicts === true) return { usage, semantics: 'unknown' };
  if (total === null || total === usage.input + usage.output) return { usage, semantics };
  if (reasoning > 0 && total === usage.input + usage.output + reasoning) {
    return { usage: { ...usage, output: usage.output + reasoning }, semantics };
  }
  return { usage, semantics: 'unknown' };
}
