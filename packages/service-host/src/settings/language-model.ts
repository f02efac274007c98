import {
  createAnthropicModel,
  createExtractiveModel,
  createOpenAICompatibleModel,
  type LanguageModel,
  limitCalls,
} from '@palimpsest/llm';
import { tokenCounter } from '@palimpsest/tokens';
import { type SettingsOf, SettingsError } from './read-variables.js';
import type { MODEL_VARIABLES } from './model-variables.js';

export type ModelSettings = SettingsOf<typeof MODEL_VARIABLES>;

/** The model of the settings, within its limits; the offline extractive one where none is named. */
export function languageModel(settings: ModelSettings): LanguageModel {
  const { modelUrl: baseUrl, model, modelKey } = settings;
  if ((baseUrl === null) !== (model === null)) {
    throw new SettingsError(
      'PALIMPSEST_MODEL_URL and PALIMPSEST_MODEL go together: set both, or none for the offline model.',
    );
  }
  if (baseUrl === null || model === null) return createExtractiveModel({ countTokens: count });
  return limitCalls(
    modelAt(settings, { baseUrl, model, ...(modelKey === null ? {} : { apiKey: modelKey }) }),
    {
      concurrency: settings.modelConcurrency,
      tenantConcurrency: settings.modelTenantConcurrency,
    },
  );
}

/** What the derivation services take of the settings besides the model. */
export function derivationLimits(settings: ModelSettings): {
  concurrency: number;
  limits: { tokensPerTenantDay?: number };
} {
  const { modelTenantTokens: tokens, modelConcurrency: concurrency } = settings;
  return { concurrency, limits: tokens === 0 ? {} : { tokensPerTenantDay: tokens } };
}

function modelAt(
  settings: ModelSettings,
  endpoint: { baseUrl: string; model: string; apiKey?: string },
): LanguageModel {
  const { modelCompactionTokens: triggerTokens, modelProvider: provider } = settings;
  const options = {
    ...endpoint,
    ...(provider === null ? {} : { provider }),
    temperature: settings.modelTemperature === 'none' ? null : 0,
    timeoutMs: settings.modelTimeoutSeconds * 1000,
    promptsFolder: settings.promptsFolder,
  };
  if (settings.modelProtocol === 'anthropic') {
    const compaction = { triggerTokens, countTokens: count };
    return createAnthropicModel({ ...options, ...(triggerTokens === 0 ? {} : { compaction }) });
  }
  return createOpenAICompatibleModel({ ...options, maxTokensField: settings.modelLimitField });
}

function count(text: string): number {
  return tokenCounter(null).count(text);
}
