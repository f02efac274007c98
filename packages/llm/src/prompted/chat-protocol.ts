import type { Usage, UsageSemantics } from '@palimpsest/events';

/** Ways to ask for JSON, best first. Each answer is validated, whatever the way. */
export type Rung = 'json_schema' | 'json_object' | 'tool' | 'prompt';

/** One request to a model: instructions, source, the answer's room. */
export interface ChatAsk {
  system: string;
  user: string;
  maxTokens: number;
  /** JSON is wanted, in this shape, by this way. */
  json?: { rung: Rung; name: string; schema: object };
}

export interface Completion {
  /** The text, or the arguments of the forced tool call. */
  text: string;
  /** As the provider names it. */
  stopReason: string;
  /** What the stop reason means for the text. */
  end: 'whole' | 'cut_off' | 'filtered';
  model: string;
  usage: Usage | null;
}

/**
 * A provider's wire protocol: one ask, one completion, retried within bounds. It throws ModelCallError where there is
 * no completion. Everything about prompts, JSON and checks is the same for all protocols and not its job.
 */
export interface ChatProtocol {
  readonly provider: string;
  readonly model: string;
  readonly usageSemantics: UsageSemantics;
  /** Rungs it has, best first; the last one is `prompt`. */
  readonly rungs: readonly Rung[];
  /** What of its settings changes the summary asked for, for the prompt's hash. */
  readonly summaryVariant?: string;
  complete(ask: ChatAsk, signal: AbortSignal): Promise<Completion>;
  /** As `complete`, where the provider has a way of its own to condense. */
  summarize?(ask: ChatAsk, signal: AbortSignal): Promise<Completion>;
}
