import { idleService, languageModel, MODEL_VARIABLES, runService } from '@palimpsest/service-host';
import { createFactExtractor } from './fact-extractor.js';

await runService({
  name: 'fact-extractor',
  environment: process.env,
  variables: MODEL_VARIABLES,
  async start({ settings, strategy, ...parts }) {
    if (strategy.settings.facts === null) return idleService(parts.logger, `${strategy.label} has no facts`);
    return createFactExtractor({ ...parts, strategy: strategy.label, model: languageModel(settings) });
  },
});
