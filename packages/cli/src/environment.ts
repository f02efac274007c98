import { resolve } from 'node:path';

/** Everything the command line takes from its environment; read here and nowhere else. */
export interface Environment {
  /** Where the embedded stack keeps its data. */
  dataFolder: string;
  /** It was named by --data, not by the process's environment. */
  dataFolderGiven?: boolean;
  /** Port of the API; 0 = any free one. */
  port: number;
  logLevel: string;
  /** An OpenAI-compatible endpoint; null = the offline extractive model. */
  model: { url: string; model: string; key: string | null } | null;
}

const DEFAULT_PORT = 8787;

/** The process's environment with `given` over it. Throws an error that names the variable and what it should be. */
export function readEnvironment(given: Readonly<Record<string, string>> = {}): Environment {
  const env = { ...process.env, ...given };
  const port = env['PALIMPSEST_PORT'] ?? String(DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new Error(`PALIMPSEST_PORT is "${port}"; give a port from 0 (any free one) to 65535.`);
  }
  const url = env['PALIMPSEST_MODEL_URL'];
  const model = env['PALIMPSEST_MODEL'];
  if ((url === undefined) !== (model === undefined)) {
    throw new Error(
      'PALIMPSEST_MODEL_URL and PALIMPSEST_MODEL go together: set both, or none for the offline model.',
    );
  }
  return {
    dataFolderGiven: given['PALIMPSEST_DATA'] !== undefined,
    dataFolder: resolve(env['PALIMPSEST_DATA'] ?? '.palimpsest'),
    port: Number(port),
    logLevel: env['PALIMPSEST_LOG_LEVEL'] ?? 'warn',
    model:
      url === undefined || model === undefined
        ? null
        : { url, model, key: env['PALIMPSEST_MODEL_KEY'] ?? null },
  };
}

/** The variables of a deployment (docs/configuration.md), for commands that reach its Kafka or its registry. */
export function deploymentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
