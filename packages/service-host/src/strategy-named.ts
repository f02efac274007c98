import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStrategy, type Strategy } from '@palimpsest/strategy';
import { installationRoot } from './installation.js';

/** The strategy of a preset's name or a YAML file's. Throws an error that names file, line and field. */
export function strategyNamed(name: string, from = 'PALIMPSEST_STRATEGY'): Strategy {
  const isFile = /\.ya?ml$/.test(name);
  const file = isFile ? name : join(installationRoot(), 'strategies', `${name}.yaml`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(
      `${from} is "${name}", but ${file} cannot be read: name a preset of strategies/ or a .yaml file.`,
      { cause },
    );
  }
  return parseStrategy(text, isFile ? name : `strategies/${name}.yaml`);
}
