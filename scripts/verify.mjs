// What every commit passes and CI runs: format, lint, layers, dead code, types, tests. Stops at the first that fails.
import { join } from 'node:path';
import { root, run, setup } from './setup.mjs';

setup();
const bin = (name) => join(root, 'node_modules', '.bin', name);
const steps = [
  ['format', bin('biome'), ['format', '.']],
  ['lint', bin('oxlint'), ['--deny-warnings']],
  ['layers', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages', 'services']],
  ['dead code', bin('knip'), []],
];
for (const [name, command, args] of steps) {
  process.stderr.write(`verify: ${name}\n`);
  run(command, args);
}
if (!process.argv.includes('--no-tests')) run(process.execPath, [join(root, 'scripts', 'test.mjs')]);
