// `node scripts/matrix.mjs [versions…] [-- vitest's arguments]`: the suite on other versions of Node (default: 24), which
// npx fetches. Fails where the suite does, and where Node warns of a timer, as it does of kafkajs without our patch.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setup } from './setup.mjs';

const DEFAULT_VERSIONS = ['24'];
const TIMER_WARNING = /Timeout(Negative|Overflow|NaN)Warning/;

const { positionals, tokens } = parseArgs({ allowPositionals: true, tokens: true, strict: false });
const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? Number.POSITIVE_INFINITY;
const given = tokens.filter(({ kind, index }) => kind === 'positional' && index < end);
const versions = given.length > 0 ? given.map(({ value }) => value) : DEFAULT_VERSIONS;
const rest = positionals.slice(given.length);

setup();
const failures = [];
for (const version of versions) {
  const { name, code, warnings } = await runSuite(version);
  if (code !== 0) failures.push(`Node ${name}: the suite failed (exit ${code}).`);
  if (warnings.length > 0)
    failures.push(`Node ${name}: ${warnings.length} timer warnings, the first: ${warnings[0]}`);
  if (code === 0 && warnings.length === 0)
    process.stdout.write(`Node ${name}: the suite passes, no timer warning.\n`);
}
for (const failure of failures) process.stdout.write(`${failure}\n`);
process.exit(failures.length === 0 ? 0 : 1);

async function runSuite(version) {
  const node = ['-y', `node@${version}`];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const name = (await output(spawnNpx([...node, '--version']))).lines.at(-1) ?? version;
  process.stderr.write(`Running the suite on Node ${name}…\n`);
  const { code, lines } = await output(spawnNpx([...node, vitest, 'run', ...rest]), true);
  return { name, code, warnings: lines.filter((line) => TIMER_WARNING.test(line)) };
}

function spawnNpx(args) {
  return spawn('npx', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    // A warning is to be seen, whatever the caller hides.
    env: { ...process.env, NODE_NO_WARNINGS: '', NODE_OPTIONS: '' },
  });
}

async function output(child, shown = false) {
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (shown) process.stderr.write(`${line}\n`);
    });
  }
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve('npx could not be started'));
    child.once('close', resolve);
  });
  return { code, lines };
}
