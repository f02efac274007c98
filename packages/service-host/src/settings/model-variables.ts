import { choice, text, url, whole } from './kinds.js';

/** Which model makes summaries and facts, and what it may cost; of the derivation services and the command line. */
export const MODEL_VARIABLES = {
  modelUrl: url('PALIMPSEST_MODEL_URL', {
    protocols: ['http', 'https'],
    example: 'https://host/v1',
    decides: 'endpoint of a model, up to its version; without it the offline extractive model',
    fallback: null,
  }),
  model: text('PALIMPSEST_MODEL', {
    wants: "the model's name",
    decides: 'model asked there',
    fallback: null,
  }),
  modelKey: text('PALIMPSEST_MODEL_KEY', {
    wants: 'a key',
    decides: 'key sent there',
    isSecret: true,
    fallback: null,
  }),
  modelProtocol: choice('PALIMPSEST_MODEL_PROTOCOL', ['openai', 'anthropic'], {
    decides: 'what is spoken there: chat completions, or the Messages API',
    fallback: 'openai',
  }),
  modelProvider: text('PALIMPSEST_MODEL_PROVIDER', {
    wants: 'a name',
    decides: "provider as the ledger's prices name it; without it `openai-compatible` or `anthropic`",
    fallback: null,
  }),
  modelLimitField: choice('PALIMPSEST_MODEL_LIMIT_FIELD', ['max_tokens', 'max_completion_tokens'], {
    decides: "field of an answer's limit in chat completions; OpenAI's reasoning models want the second",
    fallback: 'max_tokens',
  }),
  modelTemperature: choice('PALIMPSEST_MODEL_TEMPERATURE', ['0', 'none'], {
    decides: 'temperature sent; none for models that refuse one',
    fallback: '0',
  }),
  modelTimeoutSeconds: whole('PALIMPSEST_MODEL_TIMEOUT_SECONDS', {
    min: 1,
    max: 3600,
    unit: 'seconds',
    decides: 'longest wait for one answer',
    fallback: 120,
  }),
  modelConcurrency: whole('PALIMPSEST_MODEL_CONCURRENCY', {
    min: 1,
    max: 1000,
    decides: 'calls at once of a process; 1 for servers that drop one for the next',
    fallback: 2,
  }),
  modelTenantConcurrency: whole('PALIMPSEST_MODEL_TENANT_CONCURRENCY', {
    min: 1,
    max: 1000,
    decides: 'calls at once for one tenant, per process',
    fallback: 1000,
  }),
  modelTenantTokens: whole('PALIMPSEST_MODEL_TENANT_TOKENS_PER_DAY', {
    min: 0,
    max: 999_999_999,
    unit: 'tokens',
    decides: "what one tenant's summaries and facts may use on a day (UTC), over all processes; 0 = no limit",
    fallback: 0,
  }),
  modelCompactionTokens: whole('PALIMPSEST_MODEL_COMPACTION_TOKENS', {
    min: 0,
    max: 10_000_000,
    unit: 'tokens',
    decides:
      "source above which Anthropic's server-side compaction makes the summary, 50000 at least; 0 = never",
    fallback: 0,
  }),
  promptsFolder: text('PALIMPSEST_PROMPTS', {
    wants: 'a folder like packages/llm/prompts',
    decides: 'prompts that take the place of those shipped, file by file',
    fallback: null,
  }),
};
