import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Binaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { explainLog } from './explain-log.js';
import type { RunAs, ServerUser } from './server-user.js';

/**
 * Makes a new cluster beside its place and moves it there when it is whole, so that a kill in the middle leaves
 * nothing that looks like one. UTF8, and the builtin locale C.UTF-8: order and case do not depend on the machine.
 */
export async function initCluster(
  binaries: Binaries,
  data: DataFolder,
  user: ServerUser | undefined,
  as: RunAs,
  settings: Readonly<Record<string, string>>,
  onLog: (line: string) => void,
): Promise<void> {
  onLog(`making a new PostgreSQL cluster in ${data.cluster}`);
  const fresh = `${data.cluster}.new`;
  const passwordFile = path.join(fresh, '..', 'initdb-password');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(passwordFile, `${data.password}\n`, { mode: 0o600 });
  if (user !== undefined) for (const file of [fresh, passwordFile]) chownSync(file, user.uid, user.gid);
  const flags = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  flags.push('--auth=scram-sha-256', '--username=postgres', `--pwfile=${passwordFile}`, '--no-instructions');
  if (settings['fsync'] === 'off') flags.push('--no-sync');
  try {
    await run(as(binaries.initdb, [...flags, `--pgdata=${fresh}`]), data);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(fresh, data.cluster);
}

function run({ command, flags, options }: ReturnType<RunAs>, data: DataFolder): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, flags, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => void (output += chunk.toString('utf8'));
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      reject(new Error(`initdb failed (${code}) in ${data.root}. ${explainLog(output)}`));
    });
  });
}
