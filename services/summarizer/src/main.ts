import { followGenerations, languageModel, MODEL_VARIABLES, runService } from '@palimpsest/service-host';
import { createSummarizerFor } from './summarizer.js';

await runService({
  name: 'summarizer',
  environment: process.env,
  variables: MODEL_VARIABLES,
  start: ({ settings, ...parts }) =>
    followGenerations({
      ...parts,
      start: (of) => createSummarizerFor({ ...parts, ...of, model: languageModel(settings) }),
    }),
});
