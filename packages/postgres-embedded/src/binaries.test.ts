import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ensureLinks, locateBinaries } from './binaries.js';
import { explainLog } from './explain-log.js';
import { blockedFolder } from './server-user.js';

const made: string[] = [];
function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-binaries-'));
  made.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('locateBinaries', () => {
  it('finds the binaries of this platform', async () => {
    const { initdb, postgres } = await locateBinaries();
    expect(path.basename(initdb)).toMatch(/^initdb/);
    expect(path.basename(postgres)).toMatch(/^postgres/);
  });

  it('runs the script of the binary package where npm has blocked it', () => {
    const folder = packageWith("require('fs').symlinkSync('a.so.1', 'native/lib/a.so')");
    ensureLinks(folder);
    expect(lstatSync(path.join(folder, 'native/lib/a.so')).isSymbolicLink()).toBe(true);
  });

  it('names the remedy when the links cannot be made', () => {
    expect(() => ensureLinks(packageWith(''))).toThrow(/1 library links .* Make the folder writable/);
  });
});

describe('blockedFolder', () => {
  const user = { uid: 12_345, gid: 12_345 };

  it('names the folder that the server may not enter', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'inner'), { mode: 0o700 });
    // mkdtemp makes folders of mode 0700: the first on the way.
    expect(blockedFolder(path.join(folder, 'inner', 'cluster'), user)).toBe(folder);
  });

  it('has nothing against a path that all may enter', () => {
    expect(blockedFolder('/usr/bin/env', user)).toBeNull();
  });
});

describe('explainLog', () => {
  it.each([
    ['FATAL:  could not write lock file "postmaster.pid": No space left on device', /disk is full/],
    ['could not bind IPv4 address "127.0.0.1": Address already in use', /port is taken/],
    ['FATAL: database files are incompatible with server', /another major version/],
    ['initdb: error while loading shared libraries: libicui18n.so.60', /npm rebuild/],
    ['something new', /See server\.log/],
  ])('knows what to do about %s', (text, remedy) => {
    expect(explainLog(text)).toMatch(remedy);
    expect(explainLog(text)).toContain(text);
  });
});

function packageWith(script: string): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'native/lib'), { recursive: true });
  mkdirSync(path.join(folder, 'scripts'));
  writeFileSync(path.join(folder, 'native/lib/a.so.1'), '');
  writeFileSync(
    path.join(folder, 'native/pg-symlinks.json'),
    JSON.stringify([{ target: 'native/lib/a.so' }]),
  );
  writeFileSync(path.join(folder, 'scripts/hydrate-symlinks.js'), script);
  return folder;
}
