import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processIdentity } from './process-identity.js';

/** Where things lie in the data folder. */
export interface DataFolder {
  root: string;
  /** PostgreSQL's own data directory. */
  cluster: string;
  serverLog: string;
  password: string;
  /** The port of the last run, or null. */
  lastPort: number | null;
}

/**
 * Makes the folder where missing and claims it for this process; `release` gives it back.
 * Throws when another living process holds it or it cannot be written.
 */
export function claimDataFolder(folder: string): { data: DataFolder; release: () => void } {
  const root = path.resolve(folder);
  try {
    // The server's user must be able to pass through to the cluster, and only that.
    mkdirSync(root, { recursive: true });
    chmodSync(root, 0o711);
    const release = claim(path.join(root, 'owner'), root);
    const data = {
      root,
      cluster: path.join(root, 'cluster'),
      serverLog: path.join(root, 'server.log'),
      password: password(path.join(root, 'password')),
      lastPort: Number(readOrNull(path.join(root, 'port'))) || null,
    };
    return { data, release };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(`Could not prepare the data folder ${root} (${code}). ${remedyFor(code)}`, {
      cause: error,
    });
  }
}

export function rememberPort(data: DataFolder, port: number): void {
  writeFileSync(path.join(data.root, 'port'), `${port}\n`);
}

function claim(file: string, root: string): () => void {
  const me = processIdentity(process.pid) ?? String(process.pid);
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n${me}\n`, { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [pid, identity] = (readOrNull(file) ?? '').split('\n');
    if (identity !== undefined && identity !== '' && processIdentity(Number(pid)) === identity) {
      throw new Error(
        `The data folder ${root} is in use by process ${pid}. Stop that one first, or name another data folder.`,
      );
    }
    rmSync(file, { force: true });
  }
}

function password(file: string): string {
  const kept = readOrNull(file)?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const made = randomBytes(24).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function remedyFor(code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full: free some space and start again.';
  if (code === 'EROFS') return 'The file system is read-only: name a data folder on another one.';
  return 'Give this user the right to write there, or name another data folder.';
}
