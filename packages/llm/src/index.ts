export { createExtractiveModel, type ExtractiveOptions } from './extractive/extractive-model.js';
export type {
  DerivationPurpose,
  FactsAnswer,
  FactsRequest,
  LanguageModel,
  SourceMessage,
  SummarizeRequest,
  SummaryAnswer,
} from './language-model.js';
export { ModelCallError, UnusableAnswerError, type UnusableReason } from './model-errors.js';
export {
  createOpenAICompatibleModel,
  type OpenAICompatibleOptions,
} from './openai-compatible/openai-compatible-model.js';
export { inputHash } from './request-hash.js';
export { cutAtSentence, splitSentences } from './sentences.js';
export { storableText } from './storable-text.js';
