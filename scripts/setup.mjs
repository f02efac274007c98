// Installs and builds what is missing, so that each npm script works on a fresh clone. Prints only when it does something.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPatches } from './apply-patches.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a command in the project, its output on our stderr; ends this process with its code where it fails. */
export function run(command, args, options = {}) {
  const { quiet = false, ...rest } = options;
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    shell: process.platform === 'win32',
    ...rest,
  });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    process.exit(result.status ?? 1);
  }
  return result;
}

export function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`Palimpsest needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
    process.exit(1);
  }
  install();
  for (const patch of applyPatches()) process.stderr.write(`Applied patches/${patch}\n`);
  build();
}

function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const mark = join(root, 'node_modules', '.palimpsest-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  process.stderr.write('Installing dependencies (once)…\n');
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of platforms the registry did not serve.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(mark, lock);
}

function build() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, '-b'], { quiet: true });
}
