import type { LanguageModel } from '../language-model.js';
import { createPromptedModel, type PromptedOptions } from '../prompted/prompted-model.js';
import { anthropicMessages, type MessagesOptions } from './messages.js';

export type AnthropicOptions = MessagesOptions & PromptedOptions;

/** Anthropic's Messages API, or a gateway to it. */
export function createAnthropicModel(options: AnthropicOptions): LanguageModel {
  return createPromptedModel(anthropicMessages(options), options);
}
