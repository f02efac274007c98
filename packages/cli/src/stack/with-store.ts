import type { EventCodec } from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { openPool } from '@palimpsest/postgres';
import { startPostgres } from '@palimpsest/postgres-embedded';
import { createPostgresRegistry } from '@palimpsest/schema-registry';
import { openCodec, openDeploymentStore } from '@palimpsest/service-host';
import { migrate } from '@palimpsest/views';
import type pg from 'pg';
import { deploymentEnvironment, type Environment } from '../environment.js';
import { openDataFolder, runningInstance } from './data-folder.js';

/** Where an operator's command reads and writes, past the API. */
export interface Store {
  pool: pg.Pool;
  /** What the command is about, for its messages. */
  name: string;
  /** Runs `work` with the log, which is closed after it. */
  withLog<T>(work: (log: EventLog) => Promise<T>): Promise<T>;
  codec(): Promise<EventCodec>;
}

/**
 * Runs an operator's command on the deployment that PALIMPSEST_POSTGRES_URL names or, without it, on the embedded
 * stack's data folder, whether a stack runs on it or not. With --data it is the data folder.
 */
export async function withStore<T>(
  environment: Environment,
  say: (line: string) => void,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const deployment = deploymentEnvironment();
  if (deployment['PALIMPSEST_POSTGRES_URL'] === undefined || environment.dataFolderGiven) {
    return withDataFolder(environment, say, work);
  }
  const store = await openDeploymentStore(deployment);
  try {
    return await work({
      pool: store.pool,
      name: 'the deployment at PALIMPSEST_POSTGRES_URL',
      withLog: async (use) => closing(await store.openLog(), use),
      codec: () => store.openCodec(),
    });
  } finally {
    await store.close();
  }
}

async function withDataFolder<T>(
  environment: Environment,
  say: (line: string) => void,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = openDataFolder(environment.dataFolder);
  const running = runningInstance(folder);
  if (running === null) say('Starting Postgres…');
  const own = running === null ? await startPostgres({ dataFolder: folder.postgres }) : null;
  try {
    const url = own === null ? (running?.postgres as string) : own.url();
    const { pool, close } = openPool(url, 16);
    try {
      await migrate(pool);
      return await work({
        pool,
        name: `the embedded stack in ${folder.root}`,
        withLog: async (use) => closing(await createEmbeddedLog({ pool, listen: url }), use),
        codec: async () => openCodec(await createPostgresRegistry({ pool }), 'the embedded store'),
      });
    } finally {
      await close();
    }
  } finally {
    await own?.stop();
  }
}

async function closing<T>(log: EventLog, work: (log: EventLog) => Promise<T>): Promise<T> {
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}
