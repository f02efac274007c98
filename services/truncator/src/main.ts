import { BATCH_VARIABLES, runService } from '@palimpsest/service-host';
import { createTruncator } from './truncator.js';

await runService({
  name: 'truncator',
  environment: process.env,
  variables: BATCH_VARIABLES,
  start: ({ settings, ...parts }) => createTruncator({ ...parts, maxRecords: settings.batchRecords }),
});
