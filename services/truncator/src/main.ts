import { BATCH_VARIABLES, followGenerations, OBJECT_VARIABLES, runService } from '@palimpsest/service-host';
import { openObjectStore } from '@palimpsest/views';
import { createTruncator } from './truncator.js';

await runService({
  name: 'truncator',
  environment: process.env,
  variables: { ...BATCH_VARIABLES, ...OBJECT_VARIABLES },
  start({ settings, ...parts }) {
    const { objectsUrl: url, objectsKeyId: keyId, objectsSecret: secret } = settings;
    const objects = openObjectStore({ url, keyId, secret });
    return followGenerations({
      ...parts,
      start: (of) => createTruncator({ ...parts, ...of, objects, maxRecords: settings.batchRecords }),
    });
  },
});
