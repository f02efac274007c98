export { type AnthropicOptions, createAnthropicModel } from './anthropic/anthropic-model.js';
export type { Compaction } from './anthropic/compaction.js';
export { datesIn } from './extractive/dates-in.js';
export { createExtractiveModel, type ExtractiveOptions } from './extractive/extractive-model.js';
export { statementOccurs } from './grounding/statement-occurs.js';
export type {
  DerivationPurpose,
  FactsAnswer,
  FactsRequest,
  LanguageModel,
  PromptAbout,
  SourceMessage,
  SummarizeRequest,
  SummaryAnswer,
} from './language-model.js';
export { type CallLimits, limitCalls } from './limits/limit-calls.js';
export { ModelCallError, UnusableAnswerError, type UnusableReason } from './model-errors.js';
export {
  createOpenAICompatibleModel,
  type OpenAICompatibleOptions,
} from './openai-compatible/openai-compatible-model.js';
export { type ModelProbe, probeModel, type ProbeFinding } from './probe/probe-model.js';
export type { ProbedEndpoint } from './probe/raw-request.js';
export { inputHash } from './request-hash.js';
export { cutAtSentence, splitSentences } from './sentences.js';
export { storableText } from './storable-text.js';
