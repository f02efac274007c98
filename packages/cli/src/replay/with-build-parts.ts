import { createLogger } from '@palimpsest/observability';
import { languageModel } from '@palimpsest/service-host';
import type { Environment } from '../environment.js';
import type { Output } from '../output.js';
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
      const { model } = environment;
      const parts: BuildParts = {
        pool: store.pool,
        log,
        codec: await store.codec(),
        model: languageModel({
          modelUrl: model?.url ?? null,
          model: model?.model ?? null,
          modelKey: model?.key ?? null,
        }),
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
