import { createLogger } from '@palimpsest/observability';
import type { Environment } from '../environment.js';
import type { Output } from '../output.js';
import { modelOf } from '../stack/model-of.js';
import { type Store, withStore } from '../stack/with-store.js';
import type { BuildParts } from './build-generation.js';

/** Runs a command about generations with all that builds one: the store, its log and codec, the model. */
export function withBuildParts<T>(
  environment: Environment,
  output: Output,
  work: (parts: BuildParts, store: Store) => Promise<T>,
): Promise<T> {
  return withStore(environment, output.progress, (store) =>
    store.withLog(async (log) => {
      const parts: BuildParts = {
        pool: store.pool,
        log,
        codec: await store.codec(),
        model: modelOf(environment).model,
        logger: createLogger({
          name: 'palimpsest',
          // What its consumers wait for, the progress shows.
          level: environment.logLevel === 'warn' ? 'error' : environment.logLevel,
          destination: process.stderr,
        }),
      };
      return work(parts, store);
    }),
  );
}
