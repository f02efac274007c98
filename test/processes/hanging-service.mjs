// A service that never drains, on a log that is none: what is left is how the process ends.
import { runService } from '../../packages/service-host/dist/index.js';

await runService({
  name: 'hanging',
  environment: process.env,
  variables: {},
  openLog: async () => ({ close: async () => undefined }),
  start: async () => ({ stop: () => new Promise(() => undefined), done: new Promise(() => undefined) }),
});
