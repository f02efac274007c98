// Applies patches/<package>+<version>.patch to node_modules. Idempotent; refuses text it was not written for. Each patch
// names its package and the SHA-256 of the one file it changes, before and after, in its header.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Applies all patches; answers with the names of those that were not applied before. Throws on the first that cannot be. */
export function applyPatches({ patches = join(root, 'patches'), modules = join(root, 'node_modules') } = {}) {
  return readdirSync(patches)
    .filter((name) => name.endsWith('.patch'))
    .toSorted()
    .filter((name) => applyPatch(name, readFileSync(join(patches, name), 'utf8'), modules));
}

/** True when the patch changed something, false when it was applied already. */
function applyPatch(name, text, modules) {
  const patch = parsePatch(name, text);
  const folder = join(modules, patch.package);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (version !== patch.version) {
    throw new Error(
      `patches/${name} is for ${patch.package} ${patch.version}, ${version} is installed: check whether that version ` +
        'still needs it, then delete the patch or write it anew.',
    );
  }
  const file = join(folder, patch.file);
  const before = readFileSync(file, 'utf8');
  if (sha256(before) === patch.after) return false;
  if (sha256(before) !== patch.before) {
    throw new Error(
      `${patch.package}/${patch.file} is neither the published text nor the patched one, so patches/${name} was not ` +
        'applied: run "npm ci" to restore it.',
    );
  }
  const after = applyHunks(before, patch.hunks);
  if (after === undefined || sha256(after) !== patch.after) {
    throw new Error(
      `patches/${name} does not lead to the text its header names: write its hunks or its header anew.`,
    );
  }
  // In one step: a process that loads the file meanwhile sees the old text or the new one.
  writeFileSync(`${file}.patched`, after);
  renameSync(`${file}.patched`, file);
  return true;
}

function parsePatch(name, text) {
  const header = (pattern) => {
    const found = pattern.exec(text);
    if (found === null) throw new Error(`patches/${name} lacks the header line ${pattern.source}.`);
    return found;
  };
  const [, packageName, version] = header(/^Package: (\S+) (\S+)$/m);
  return {
    package: packageName,
    version,
    before: header(/^Sha256-Before: ([0-9a-f]{64})$/m)[1],
    after: header(/^Sha256-After: ([0-9a-f]{64})$/m)[1],
    file: header(/^--- a\/(\S+)$/m)[1],
    hunks: parseHunks(text.slice(header(/^\+\+\+ b\/.*\n/m).index)),
  };
}

/** The hunks of a unified diff: where each begins (from 0) and its lines, marks included. */
function parseHunks(diff) {
  const hunks = [];
  for (const line of diff.split('\n')) {
    const start = /^@@ -(\d+)/.exec(line);
    if (start !== null) hunks.push({ at: Number(start[1]) - 1, lines: [] });
    else if (/^[ +-]/.test(line) && hunks.length > 0) hunks.at(-1).lines.push(line);
  }
  return hunks;
}

/** Undefined when a line to be kept or removed is not where the patch says. */
function applyHunks(text, hunks) {
  const source = text.split('\n');
  const result = [];
  let at = 0;
  for (const hunk of hunks) {
    result.push(...source.slice(at, hunk.at));
    at = hunk.at;
    for (const line of hunk.lines) {
      const content = line.slice(1);
      if (line[0] === '+') result.push(content);
      else if (source[at] !== content) return undefined;
      else {
        if (line[0] === ' ') result.push(content);
        at++;
      }
    }
  }
  return [...result, ...source.slice(at)].join('\n');
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of applyPatches()) process.stdout.write(`Applied patches/${name}\n`);
}
