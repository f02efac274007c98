import { idleService, languageModel, MODEL_VARIABLES, runService } from '@palimpsest/service-host';
import { createSummarizer } from './summarizer.js';

await runService({
  name: 'summarizer',
  environment: process.env,
  variables: MODEL_VARIABLES,
  async start({ settings, strategy, ...parts }) {
    const { summary } = strategy.settings;
    if (summary === null) return idleService(parts.logger, `${strategy.label} has no summaries`);
    return createSummarizer({
      ...parts,
      strategy: strategy.label,
      model: languageModel(settings),
      settings: { block: summary.block, keepLive: summary.keep_live, maxTokens: summary.leaf_tokens },
    });
  },
});
