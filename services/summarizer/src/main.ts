import {
  derivationLimits,
  followGenerations,
  languageModel,
  MODEL_VARIABLES,
  runService,
} from '@palimpsest/service-host';
import { createSummarizerFor } from './summarizer.js';

await runService({
  name: 'summarizer',
  environment: process.env,
  variables: MODEL_VARIABLES,
  start({ settings, ...parts }) {
    const shared = { ...parts, ...derivationLimits(settings), model: languageModel(settings) };
    return followGenerations({ ...parts, start: (of) => createSummarizerFor({ ...shared, ...of }) });
  },
});
