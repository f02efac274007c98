import { createExtractiveModel, createOpenAICompatibleModel, type LanguageModel } from '@palimpsest/llm';
import { tokenCounter } from '@palimpsest/tokens';
import { type SettingsOf, SettingsError } from './read-variables.js';
import type { MODEL_VARIABLES } from './variables.js';

/** The model of the settings; the offline extractive one where none is named. */
export function languageModel(settings: SettingsOf<typeof MODEL_VARIABLES>): LanguageModel {
  const { modelUrl: baseUrl, model, modelKey } = settings;
  if ((baseUrl === null) !== (model === null)) {
    throw new SettingsError(
      'PALIMPSEST_MODEL_URL and PALIMPSEST_MODEL go together: set both, or none for the offline model.',
    );
  }
  if (baseUrl === null || model === null) {
    return createExtractiveModel({ countTokens: (words) => tokenCounter(null).count(words) });
  }
  return createOpenAICompatibleModel({ baseUrl, model, ...(modelKey === null ? {} : { apiKey: modelKey }) });
}
