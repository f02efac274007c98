import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the embedded stack. */
export interface DataFolder {
  readonly root: string;
  readonly postgres: string;
  readonly clickhouse: string;
  /** The API key made at first start, readable by its owner only. */
  readonly key: string;
  /** Written while a stack runs on this folder. */
  readonly instance: string;
}

/** What a running stack says of itself. */
export interface Instance {
  pid: number;
  /** Of its API. */
  url: string;
  /** Of its Postgres, password included: the file is its owner's alone. */
  postgres: string;
}

/** Makes the folder where it is missing. Throws with the remedy where it cannot be written. */
export function openDataFolder(root: string): DataFolder {
  try {
    mkdirSync(root, { recursive: true });
  } catch (cause) {
    throw new Error(
      `The data folder ${root} cannot be made; choose one that can be written with PALIMPSEST_DATA or --data.`,
      { cause },
    );
  }
  return {
    root,
    postgres: join(root, 'postgres'),
    clickhouse: join(root, 'clickhouse'),
    key: join(root, 'key'),
    instance: join(root, 'instance.json'),
  };
}

/** The stack that runs on this folder; null where none does. A file left by a killed process counts as none. */
export function runningInstance(folder: DataFolder): Instance | null {
  try {
    const instance = JSON.parse(readFileSync(folder.instance, 'utf8')) as Instance;
    process.kill(instance.pid, 0);
    return instance.pid === process.pid ? null : instance;
  } catch {
    return null;
  }
}

export function writeInstance(folder: DataFolder, { url, postgres }: Omit<Instance, 'pid'>): void {
  const instance: Instance = { pid: process.pid, url, postgres };
  rmSync(folder.instance, { force: true });
  writeFileSync(folder.instance, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
}

export function removeInstance(folder: DataFolder): void {
  rmSync(folder.instance, { force: true });
}

export function readKey(folder: DataFolder): string | null {
  try {
    return readFileSync(folder.key, 'utf8').trim();
  } catch {
    return null;
  }
}

export function writeKey(folder: DataFolder, secret: string): void {
  writeFileSync(folder.key, `${secret}\n`, { mode: 0o600 });
}
