import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningPostgres, startPostgres } from './index.js';

const temporary = mkdtempSync(path.join(tmpdir(), 'palimpsest-postgres-'));
const dataFolder = path.join(temporary, 'data');
/** Shared by the tests in order: each ends with the server stopped and one row more in the table. */
let rows = 0;
/** Where our sources lie as JavaScript for child processes, once they were compiled. */
let built: string | undefined;

async function ask(server: RunningPostgres, text: string): Promise<unknown[][]> {
  const client = new Client({ connectionString: server.url() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** Processes are killed here, not machines: what the system holds is safe without waiting for the disk. */
const settings = { fsync: 'off' };

async function start(
  options: { settings?: Record<string, string> } = { settings },
): Promise<RunningPostgres> {
  const server = await startPostgres({ dataFolder, ...options });
  expect(await ask(server, 'select count(*)::integer from kept')).toEqual([[rows]]);
  await ask(server, 'insert into kept default values');
  rows++;
  return server;
}

beforeAll(async () => {
  // Left by a run that was killed in the middle of initdb: must not pass for a cluster.
  mkdirSync(path.join(dataFolder, 'cluster.new'), { recursive: true });
  writeFileSync(path.join(dataFolder, 'cluster.new', 'PG_VERSION'), '18\n');
  const server = await startPostgres({ dataFolder, settings });
  await ask(server, 'create table kept (id integer generated always as identity)');
  await server.stop();
});
afterAll(() => {
  for (const folder of [temporary, built])
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

describe('startPostgres', () => {
  it('keeps data, port and password over a restart, and lets nobody else read the password', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.url()).toBe(first.url());
    expect(statSync(path.join(dataFolder, 'password')).mode & 0o777).toBe(0o600);
    await second.stop();
    await second.stop();
  });

  it('sorts and compares text the same way on every machine, listens on loopback only, waits for the disk', async () => {
    const server = await start({});
    for (const [name, value] of Object.entries({
      server_encoding: 'UTF8',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      synchronous_commit: 'on',
      fsync: 'on',
      max_connections: '100',
      shared_buffers: '256MB',
      TimeZone: 'UTC',
    })) {
      expect(await ask(server, `show ${name}`), name).toEqual([[value]]);
    }
    expect(
      await ask(server, "select datlocprovider, datlocale from pg_database where datname = 'palimpsest'"),
    ).toEqual([['b', 'C.UTF-8']]);
    expect(await ask(server, "select upper('їжак'), 'Z' < 'a'")).toEqual([['ЇЖАК', true]]);
    await server.stop();
  });

  it('refuses a folder that another living process uses', async () => {
    const server = await start();
    await expect(startPostgres({ dataFolder })).rejects.toThrow(`in use by process ${process.pid}`);
    await server.stop();
  });

  it('recovers after the server itself was killed', async () => {
    const server = await start();
    process.kill(serverPid(), 'SIGKILL');
    await server.stop();
    await (await start()).stop();
  });

  it('starts although another process has the number that a dead server left behind', async () => {
    writeFileSync(
      path.join(dataFolder, 'cluster', 'postmaster.pid'),
      `${process.ppid}\n${dataFolder}/cluster\n1\n1\n\n`,
    );
    await (await start()).stop();
  });

  it('stops the server when its process is killed, and takes the folder over', async () => {
    const child = await startInChild();
    const pid = serverPid();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    // At once, while the server may still be on its way down.
    await (await start()).stop();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000, interval: 10 });
  });

  it('takes over from a server that outlived its process and its guard', async () => {
    const child = await startInChild();
    const pid = serverPid();
    const guards = execFileSync('pgrep', ['-f', `palimpsest-guard ${pid}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    for (const guard of guards) process.kill(Number(guard), 'SIGKILL');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(() => process.kill(pid, 0)).not.toThrow();
    await (await start()).stop();
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it('stops the server when its process ends by itself', async () => {
    const child = await startInChild();
    const pid = serverPid();
    child.stdin?.end();
    await new Promise((resolve) => child.once('exit', resolve));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000, interval: 10 });
  });

  it('says what to do when the port asked for is taken', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
    );
    await expect(startPostgres({ dataFolder, port })).rejects.toThrow(/name another port/);
    other.close();
    await (await start()).stop();
  });

  it('says what to do when the folder cannot be made', async () => {
    const file = path.join(temporary, 'a-file');
    writeFileSync(file, '');
    await expect(startPostgres({ dataFolder: path.join(file, 'data') })).rejects.toThrow(
      /name another data folder/,
    );
  });
});

function serverPid(): number {
  return Number(readFileSync(path.join(dataFolder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** A process of its own that starts the server and ends when its input does. */
async function startInChild(): Promise<ReturnType<typeof spawn>> {
  const url = new URL(`file://${compiled()}/index.js`).href;
  const script = `import { startPostgres } from ${JSON.stringify(url)};
    await startPostgres({ dataFolder: ${JSON.stringify(dataFolder)}, settings: { fsync: 'off' } });
    process.stdout.write('up'); process.stdin.resume(); process.stdin.on('end', () => process.exit(0));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('The child ended before its server was up.')));
  });
  return child;
}

/** Compiles our sources, so that a plain node can run them; inside node_modules, so that imports are found. */
function compiled(): string {
  if (built !== undefined) return built;
  const packageFolder = path.resolve(import.meta.dirname, '..');
  built = path.join(packageFolder, 'node_modules', '.start-postgres-test');
  const flags = [
    '--outDir',
    built,
    '--composite',
    'false',
    '--incremental',
    'false',
    '--declaration',
    'false',
  ];
  flags.push('--declarationMap', 'false');
  const tsc = path.resolve(packageFolder, '../../node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', packageFolder, ...flags], { stdio: 'inherit' });
  return built;
}
