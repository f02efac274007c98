import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { registerSchemas } from '../../packages/service-host/src/register-schemas.js';
import { ROOT } from '../harness/command-line.js';
import { freshDatabase } from '../harness/postgres.js';
import { buildService } from '../processes/service-process.js';

function startRegistry(environment: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(ROOT, 'deploy/schema-registry.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { child, ended: once(child, 'exit') as Promise<[number | null]> };
}

it('the registry of deploy/ answers services, is checked by /subjects and ends when told', async () => {
  buildService('truncator');
  const database = await freshDatabase();
  const { child, ended } = startRegistry({ PALIMPSEST_POSTGRES_URL: database.url, PALIMPSEST_PORT: '0' });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [url] = /http:\S+/.exec(line.toString()) ?? [''];
    const registered = await registerSchemas(url);
    const subjects = await fetch(`${url}/subjects`);
    expect(await subjects.json()).toHaveLength(registered.length);
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  } finally {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  }
});

it('the registry of deploy/ says what it misses', async () => {
  const { child, ended } = startRegistry({});
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  expect(line.toString()).toContain('PALIMPSEST_POSTGRES_URL is not set');
  expect((await ended)[0]).toBe(1);
});
