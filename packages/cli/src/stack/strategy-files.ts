import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStrategy, type Strategy } from '@palimpsest/strategy';
import { installationRoot } from './installation.js';

/** The preset of that name in `strategies/`. Throws an error that names file, line and field. */
export function presetStrategy(name: string): Strategy {
  const file = join(installationRoot(), 'strategies', `${name}.yaml`);
  return parseStrategy(readFileSync(file, 'utf8'), `strategies/${name}.yaml`);
}
