import {
  derivationLimits,
  followGenerations,
  languageModel,
  MODEL_VARIABLES,
  runService,
} from '@palimpsest/service-host';
import { createFactExtractorFor } from './fact-extractor.js';

await runService({
  name: 'fact-extractor',
  environment: process.env,
  variables: MODEL_VARIABLES,
  start({ settings, ...parts }) {
    const shared = { ...parts, ...derivationLimits(settings), model: languageModel(settings) };
    return followGenerations({ ...parts, start: (of) => createFactExtractorFor({ ...shared, ...of }) });
  },
});
