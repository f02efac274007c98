import type { ExtractedFact, Usage, UsageSemantics } from '@palimpsest/events';

/**
 * LanguageModel, the port to whatever writes summaries and reads facts.
 *
 * What an implementation promises
 * - An answer it resolves with is whole and well formed: not empty, not cut off, of the shape asked for. Anything
 *   else rejects: `UnusableAnswerError` when the model answered (and was paid), `ModelCallError` when it did not.
 * - Every call ends: by an answer, an error, or the signal. Retries inside a call are bounded.
 * - `promptHash` is known without a call, and equal for equal instructions and limits; the source is not part of it.
 *   `promptHashes` holds every value it can give.
 * - It treats the source as data. It keeps no state between calls that could change an answer.
 *
 * What it does NOT promise
 * - That the text is true, or under `maxTokens`: the caller measures, re-asks, cuts and refuses.
 * - That a fact's source is a user's message, or says so: the caller checks the provenance.
 * - The same answer twice. Whoever pays for an answer keeps it (as a derivation in the log).
 */
export interface LanguageModel {
  /** As the ledger's prices name it. */
  readonly provider: string;
  readonly model: string;
  /** Whether `usage.input` of its answers holds cached tokens. */
  readonly usageSemantics: UsageSemantics;
  promptHash(purpose: DerivationPurpose, limits: { maxTokens: number }, about?: PromptAbout): string;
  /** The hashes of all its instructions for a purpose, whatever conversation they are about. */
  promptHashes(purpose: DerivationPurpose, limits: { maxTokens: number }): ReadonlySet<string>;
  summarize(request: SummarizeRequest, signal: AbortSignal): Promise<SummaryAnswer>;
  extractFacts(request: FactsRequest, signal: AbortSignal): Promise<FactsAnswer>;
}

export type DerivationPurpose = 'summary' | 'facts';

/** What chooses among instructions for one purpose: both as the conversation's settings say, null = not said. */
export interface PromptAbout {
  agentType?: string | null;
  language?: string | null;
}

/** One event of the source, as the view holds it (tool results already cut by type). */
export interface SourceMessage {
  /** Event id, what facts name as their source. */
  id: string;
  kind: 'message' | 'tool_call' | 'tool_result';
  /** Null for tool calls and results. */
  role: 'user' | 'assistant' | 'unknown' | null;
  /** Text of a message or result, arguments of a call. */
  text: string;
  tool: string | null;
  /** Milliseconds since 1970: relative dates resolve against it. */
  at: number;
}

interface ModelRequest {
  messages: readonly SourceMessage[];
  /** As the conversation's settings say; null = as the source is written. */
  language: string | null;
  /** As the conversation's settings say: chooses the instructions. */
  agentType?: string | null;
  /** Whose limits the call counts against; no part of the prompt. */
  tenant?: string;
  /** Cap of the answer in tokens. */
  maxTokens: number;
}
export interface SummarizeRequest extends ModelRequest {
  /** The summary to shorten, when the first answer was over the cap. */
  tooLong?: string;
  /** What was wrong with the answer before: the request is made again with it. */
  reminder?: string;
}
export interface FactsRequest extends ModelRequest {
  /** IANA name; null = UTC. */
  timeZone: string | null;
  /** What was wrong with the answer before: the request is made again, with the schema repeated. */
  reminder?: string;
}

interface ModelAnswer {
  /** The model that answered, as the provider names it (may be more exact than the one asked). */
  model: string;
  stop_reason: string;
  /** Null when the provider did not say. */
  usage: Usage | null;
  prompt_hash: string;
  input_hash: string;
  /** SHA-256 of the answer as it came, before anything was read out of it. */
  answer_hash: string;
}
export interface SummaryAnswer extends ModelAnswer {
  text: string;
  /** Identifiers of the source that `text` lost, at most `CARRIED_LIMIT`. */
  carried: string[];
}
export interface FactsAnswer extends ModelAnswer {
  facts: ExtractedFact[];
}
