import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { EventLog } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { vi } from 'vitest';
import type { ServiceOptions } from '../../packages/service-host/src/host-service.js';
import { prepareStore } from '../../packages/service-host/src/open-postgres.js';
import {
  type ProcessEnvironment,
  readVariables,
  unknownVariables,
  type Variables,
} from '../../packages/service-host/src/settings/read-variables.js';
import {
  API_VARIABLES,
  KAFKA_VARIABLES,
  REGISTRY_VARIABLES,
  SERVICE_VARIABLES,
} from '../../packages/service-host/src/settings/variables.js';
import { ROOT } from '../harness/command-line.js';
import { freshDatabase } from '../harness/postgres.js';

export const SERVICES = readdirSync(path.join(ROOT, 'services')).toSorted();

/** What is no service and runs from the same image: the command, behind `node`, and the variables it reads. */
export const OTHERS: Readonly<Record<string, { command: string; variables: Variables }>> = {
  'schema-registry': {
    command: 'deploy/schema-registry.mjs',
    variables: {
      postgresUrl: SERVICE_VARIABLES.postgresUrl,
      host: API_VARIABLES.host,
      port: API_VARIABLES.port,
    },
  },
  topics: { command: 'packages/cli/dist/main.js topics apply', variables: KAFKA_VARIABLES },
  schemas: { command: 'packages/cli/dist/main.js schemas register', variables: REGISTRY_VARIABLES },
};

type Declared = ServiceOptions<Variables>;

const declared = new Map<string, Promise<Declared>>();

/** What a service's main.ts hands to runService; nothing is started. A module runs once, so the answer is kept. */
function declaredService(name: string): Promise<Declared> {
  const found = declared.get(name) ?? readMain(name);
  declared.set(name, found);
  return found;
}

async function readMain(name: string): Promise<Declared> {
  let given: Declared | undefined;
  vi.doMock('@palimpsest/service-host', async (original) => ({
    ...(await original<object>()),
    runService: async (options: Declared) => void (given = options),
  }));
  vi.doMock('@palimpsest/ledger', async (original) => ({
    ...(await original<object>()),
    openLedger: async () => ({ prices: {}, close: async () => undefined }),
  }));
  try {
    await import(/* @vite-ignore */ path.join(ROOT, 'services', name, 'src', 'main.ts'));
  } finally {
    vi.doUnmock('@palimpsest/service-host');
    vi.doUnmock('@palimpsest/ledger');
  }
  if (given === undefined) throw new Error(`services/${name}/src/main.ts does not call runService.`);
  return given;
}

/** Reads the environment as the process would: throws for what it requires; answers what it does not know. */
export async function unknownTo(name: string, environment: ProcessEnvironment): Promise<string[]> {
  const variables =
    OTHERS[name]?.variables ??
    ({ ...SERVICE_VARIABLES, ...(await declaredService(name)).variables } as Variables);
  readVariables(environment, variables);
  return unknownVariables(
    environment,
    Object.values(variables).map((variable) => variable.name),
  );
}

/** `group topic`, one for each that the services subscribe to on a new database. */
export async function subscriptions(): Promise<string[]> {
  const database = await freshDatabase({ migrated: true });
  const found: string[] = [];
  const log = {
    createTopic: async () => undefined,
    partitions: async () => 1,
    bounds: async () => [],
    subscribe: async ({ group, topics }: { group: string; topics: readonly string[] }) => {
      found.push(...topics.map((topic) => `${group} ${topic}`));
      return { commit: async () => undefined, stop: async () => undefined };
    },
  } as unknown as EventLog;
  try {
    const live = await prepareStore(database.pool, SERVICE_VARIABLES.strategy.fallback as string);
    for (const name of SERVICES) {
      if (name === 'context-api') continue;
      const { variables, start } = await declaredService(name);
      const required = {
        PALIMPSEST_KAFKA_BROKERS: 'kafka:9092',
        PALIMPSEST_REGISTRY_URL: 'http://registry:8081',
        PALIMPSEST_POSTGRES_URL: database.url,
        // Refuses at once: a name would be looked up.
        PALIMPSEST_CLICKHOUSE_URL: 'http://127.0.0.1:9',
      };
      const parts = {
        ...live,
        log,
        pool: database.pool,
        metrics: createMetrics(),
        logger: createLogger({ name, level: 'silent' }),
        onStop: () => undefined,
        serves: () => undefined,
        settings: readVariables(required, { ...SERVICE_VARIABLES, ...variables }),
      };
      const service = await start(parts as unknown as Parameters<typeof start>[0]);
      await service.stop();
    }
  } finally {
    await database.drop();
  }
  return found.toSorted();
}
