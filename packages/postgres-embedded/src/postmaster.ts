import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine, isAlive } from './process-identity.js';

/** What a running server writes of itself into `postmaster.pid`. */
interface PostmasterFile {
  pid: number;
  port: number;
  ready: boolean;
}

export function readPostmasterFile(cluster: string): PostmasterFile | null {
  try {
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Leaves the cluster with no server on it: stops one that outlived its parent, cleanly, and removes the lock file
 * of a dead one whose number another process has by now. PostgreSQL's own check of the shared memory stays the
 * second net against two servers on one cluster.
 */
export async function clearCluster(cluster: string, onLog: (line: string) => void): Promise<void> {
  const file = readPostmasterFile(cluster);
  if (file === null || !(file.pid > 0)) return;
  if (isServerOf(file.pid, cluster)) {
    onLog(`stopping server ${file.pid}, left behind by a killed process`);
    await stopServer(file.pid);
  } else if (isAlive(file.pid)) {
    rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
  }
}

/** Fast shutdown (SIGINT), after 30 s immediate shutdown (SIGQUIT: the next start replays the WAL; nothing is lost). */
export async function stopServer(pid: number, hasEnded: () => boolean = () => !isAlive(pid)): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      if (hasEnded()) return;
      await delay(10);
    }
  }
  throw new Error(
    `PostgreSQL (process ${pid}) did not stop within 40 s. End it by hand before the next start.`,
  );
}

function isServerOf(pid: number, cluster: string): boolean {
  return commandLine(pid)?.includes(cluster) ?? false;
}
