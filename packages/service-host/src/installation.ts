import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds `strategies` and `schemas`, above this file whether run from src or dist. */
export function installationRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < 8; depth += 1) {
    if (existsSync(join(folder, 'strategies')) && existsSync(join(folder, 'schemas'))) return folder;
    folder = dirname(folder);
  }
  throw new Error('strategies/ was not found above the services: the installation is incomplete.');
}
