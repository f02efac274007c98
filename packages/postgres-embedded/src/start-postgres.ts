import { type ChildProcess, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Binaries, locateBinaries } from './binaries.js';
import { claimDataFolder, type DataFolder, rememberPort } from './data-folder.js';
import { chosenPort } from './free-port.js';
import { initCluster } from './init-cluster.js';
import { clearCluster, readPostmasterFile, stopServer } from './postmaster.js';
import { explainLog } from './explain-log.js';
import { type RunAs, runAs, type ServerUser, serverUser } from './server-user.js';

export interface PostgresOptions {
  /** Holds everything: the cluster, the password, the server's log. Made if missing, reused if there. */
  dataFolder: string;
  /** Default: the port of the last run if it is free, else a free one. */
  port?: number;
  /** Server settings over ours, e.g. `{ fsync: 'off' }` for data that is thrown away. */
  settings?: Readonly<Record<string, string>>;
  /** Told what is being done, a line each. The server's own log is `server.log` in the data folder. */
  onLog?(line: string): void;
}

export interface RunningPostgres {
  /** Connection URL; default database `palimpsest`. The user is a superuser of this private server. */
  url(database?: string): string;
  port: number;
  /** Stops the server cleanly and waits for its end. Idempotent. */
  stop(): Promise<void>;
}

const DATABASE = 'palimpsest';

/** For a store on one machine beside everything else; durability settings stay at PostgreSQL's safe defaults. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts a PostgreSQL server on the loopback interface, on a folder that survives restarts and kills. A server left
 * behind by a killed process is stopped cleanly first. The server stops when this process ends, however it ends.
 * Throws with the remedy when the folder is in use or cannot be written, the disk is full or a binary is missing.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const onLog = options.onLog ?? (() => {});
  const binaries = await locateBinaries();
  const { data, release } = claimDataFolder(options.dataFolder);
  try {
    const user = serverUser();
    const wanted = { ...SETTINGS, ...options.settings };
    const as = runAs(user, [data.cluster, binaries.postgres]);
    await clearCluster(data.cluster, onLog);
    if (!existsSync(data.cluster)) await initCluster(binaries, data, user, as, wanted, onLog);
    const server = await launch(binaries, data, user, as, wanted, options.port);
    rememberPort(data, server.port);
    const url = (database = DATABASE): string =>
      `postgres://postgres:${data.password}@127.0.0.1:${server.port}/${encodeURIComponent(database)}`;
    await ensureDatabase(url('postgres'));
    onLog(`PostgreSQL listens on 127.0.0.1:${server.port}, data in ${data.root}`);
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await server.stop();
      release();
    };
    return { url, port: server.port, stop: () => (stopped ??= stop()) };
  } catch (error) {
    release();
    throw error;
  }
}

interface Server {
  port: number;
  stop(): Promise<void>;
}

async function launch(
  binaries: Binaries,
  data: DataFolder,
  user: ServerUser | undefined,
  as: RunAs,
  settings: Readonly<Record<string, string>>,
  port: number | undefined,
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const chosen = await chosenPort(port, attempt === 1 ? data.lastPort : null);
    const log = openLog(data, user);
    const from = statSync(data.serverLog).size;
    const { command, flags, options } = as(binaries.postgres, serverArguments(data, chosen, settings));
    const child = spawn(command, flags, {
      ...options,
      // Its own session: Ctrl-C in the terminal is for us, who then stop it after the drain.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const failure = await untilReady(child, data, chosen);
    if (failure === null) return supervise(child, chosen);
    const text = readFileSync(data.serverLog).subarray(from).toString('utf8');
    // The port was taken between our look and the server's, or a killed server's children are still leaving.
    const passing = /could not create any TCP\/IP sockets|Address already in use|is still in use/.test(text);
    if (!passing || attempt === 20 || (port !== undefined && /Address already in use/.test(text))) {
      throw new Error(`PostgreSQL did not start on ${data.root}. ${explainLog(text)}`, { cause: failure });
    }
    await delay(100);
  }
}

async function untilReady(child: ChildProcess, data: DataFolder, port: number): Promise<Error | null> {
  let ended: Error | null = null;
  child.once('error', (error) => (ended = error));
  child.once('exit', (code, signal) => (ended = new Error(`The server ended at once (${code ?? signal}).`)));
  // No deadline: crash recovery takes what it takes, and a server that cannot start ends by itself.
  for (;;) {
    if (ended !== null) return ended;
    const file = readPostmasterFile(data.cluster);
    if (file?.pid === child.pid && file?.port === port && file.ready) return null;
    await delay(10);
  }
}

/** Stops the server when we end: by the exit hook, and, if we are killed, by a guard that sees its input close. */
function supervise(child: ChildProcess, port: number): Server {
  const pid = child.pid as number;
  let ended = false;
  child.once('exit', () => (ended = true));
  child.unref();
  const guard =
    process.platform === 'win32'
      ? null
      : spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -INT "$1"', 'palimpsest-guard', String(pid)], {
          detached: true,
          stdio: ['pipe', 'ignore', 'ignore'],
        });
  guard?.on('error', () => {});
  guard?.unref();
  (guard?.stdin as { unref?: () => void } | undefined)?.unref?.();
  const onExit = (): void => {
    if (!ended) child.kill('SIGINT');
  };
  process.once('exit', onExit);
  const stop = async (): Promise<void> => {
    guard?.kill('SIGKILL');
    process.off('exit', onExit);
    if (!ended) await stopServer(pid, () => ended);
  };
  return { port, stop };
}

function serverArguments(
  data: DataFolder,
  port: number,
  settings: Readonly<Record<string, string>>,
): string[] {
  const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ]);
  return ['-D', data.cluster, ...flags];
}

const LOG_LIMIT_BYTES = 10_000_000;

function openLog(data: DataFolder, user: ServerUser | undefined): number {
  if ((statSync(data.serverLog, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) {
    rmSync(`${data.serverLog}.1`, { force: true });
    renameSync(data.serverLog, `${data.serverLog}.1`);
  }
  const log = openSync(data.serverLog, 'a', 0o600);
  if (user !== undefined) chownSync(data.serverLog, user.uid, user.gid);
  return log;
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
