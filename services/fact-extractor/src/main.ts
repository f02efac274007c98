import { followGenerations, languageModel, MODEL_VARIABLES, runService } from '@palimpsest/service-host';
import { createFactExtractorFor } from './fact-extractor.js';

await runService({
  name: 'fact-extractor',
  environment: process.env,
  variables: MODEL_VARIABLES,
  start: ({ settings, ...parts }) =>
    followGenerations({
      ...parts,
      start: (of) => createFactExtractorFor({ ...parts, ...of, model: languageModel(settings) }),
    }),
});
