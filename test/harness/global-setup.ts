import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { Client, Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { type RunningPostgres, startPostgres } from '../../packages/postgres-embedded/src/index.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers `/server` and `/migrated` with connection URLs, and starts or makes what they name when first asked. */
    postgresBroker: string;
  }
}

export const TEMPLATE = 'template_migrated';

/**
 * One PostgreSQL server per run, started when the first test asks for it: runs of pure tests pay nothing. It belongs
 * to vitest's main process, since workers come and go. Its data is thrown away, so it does not wait for the disk.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let folder: string | undefined;
  let starting: Promise<RunningPostgres> | undefined;
  let migrating: Promise<void> | undefined;
  const server = (): Promise<RunningPostgres> => {
    folder ??= mkdtempSync(path.join(tmpdir(), 'palimpsest-test-'));
    starting ??= startPostgres({ dataFolder: folder, settings: SETTINGS });
    return starting;
  };
  // Assigned before anything is awaited: two workers may ask at once.
  const migrated = (): Promise<void> => (migrating ??= server().then(makeTemplate));

  const broker = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      if (request.url === '/migrated') await migrated();
      return (await server()).url('postgres');
    };
    answer().then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(inspect(error)),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  broker.unref();
  project.provide('postgresBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);

  return async () => {
    broker.close();
    await (await starting?.catch(() => undefined))?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
}

const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

async function makeTemplate(server: RunningPostgres): Promise<void> {
  const admin = new Client({ connectionString: server.url('postgres') });
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE}`);
  } finally {
    await admin.end();
  }
  const pool = new Pool({ connectionString: server.url(TEMPLATE), max: 2 });
  try {
    // Imported only here: a run that needs no schema does not load it.
    const { migrate } = await import('../../packages/views/src/index.js');
    await migrate(pool);
  } finally {
    await pool.end();
  }
}
