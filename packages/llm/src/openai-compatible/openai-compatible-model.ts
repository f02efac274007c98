import type { LanguageModel } from '../language-model.js';
import { createPromptedModel, type PromptedOptions } from '../prompted/prompted-model.js';
import { chatCompletions, type ChatCompletionsOptions } from './chat-completions.js';

export type OpenAICompatibleOptions = ChatCompletionsOptions & PromptedOptions;

/** Any server that speaks `POST /chat/completions`: OpenAI, OpenRouter, Ollama, vLLM, llama.cpp and gateways. */
export function createOpenAICompatibleModel(options: OpenAICompatibleOptions): LanguageModel {
  return createPromptedModel(chatCompletions(options), options);
}
