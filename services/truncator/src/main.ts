import { BATCH_VARIABLES, followGenerations, runService } from '@palimpsest/service-host';
import { createTruncator } from './truncator.js';

await runService({
  name: 'truncator',
  environment: process.env,
  variables: BATCH_VARIABLES,
  start: ({ settings, ...parts }) =>
    followGenerations({
      ...parts,
      start: (of) => createTruncator({ ...parts, ...of, maxRecords: settings.batchRecords }),
    }),
});
