import { execFileSync, type SpawnOptions } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/** Whom the server runs as, where that is not us. PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * As root: the system user `postgres`, made if it is missing; else undefined (the server runs as we do).
 * Throws when the user can be neither found nor made.
 */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUp();
  if (found !== undefined) return found;
  try {
    execFileSync('groupadd', ['--system', 'postgres'], { stdio: 'pipe' });
    execFileSync('useradd', ['--system', '--no-create-home', '-g', 'postgres', 'postgres'], {
      stdio: 'pipe',
    });
  } catch (cause) {
    const again = lookUp();
    if (again !== undefined) return again;
    throw new Error(
      'PostgreSQL does not run as root, and the system user "postgres" could not be made. Run as another user.',
      { cause },
    );
  }
  return lookUp();
}

/** A command line that runs `command` as the server's user, with the spawn options that go with it. */
export type RunAs = (
  command: string,
  flags: string[],
) => { command: string; flags: string[]; options: SpawnOptions };

/**
 * How to run the server as `user`. Where a folder on the way to a target is closed to that user (a project below
 * /root, a private temporary folder), the server is given the right to pass through it, and root's other rights not.
 * Throws when the system has no means for that.
 */
export function runAs(user: ServerUser | undefined, targets: readonly string[]): RunAs {
  // The caller's PG* variables must not reach the server.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
  if (user === undefined) return (command, flags) => ({ command, flags, options: { env } });
  const blocked = targets.map((target) => blockedFolder(target, user)).find((folder) => folder !== null);
  if (blocked === undefined) return (command, flags) => ({ command, flags, options: { env, ...user } });
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const prefix = [...identity, '--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--'];
  try {
    execFileSync('setpriv', [...prefix, 'true'], { stdio: 'pipe', env });
  } catch (cause) {
    throw new Error(
      `We run as root, so PostgreSQL runs as the user "postgres", who may not enter ${blocked}. ` +
        `Run as another user, move the folder, or allow it: chmod o+x ${blocked}`,
      { cause },
    );
  }
  return (command, flags) => ({
    command: 'setpriv',
    flags: [...prefix, command, ...flags],
    options: { env },
  });
}

/** The first folder on the way to `target` that the user may not enter, or null. */
export function blockedFolder(target: string, user: ServerUser): string | null {
  const root = path.parse(target).root;
  const parts = path.dirname(target).slice(root.length).split(path.sep).filter(Boolean);
  let folder = root;
  for (const part of ['', ...parts]) {
    folder = path.join(folder, part);
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    const bit = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return folder;
  }
  return null;
}

function lookUp(): ServerUser | undefined {
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe', encoding: 'utf8' }));
}
