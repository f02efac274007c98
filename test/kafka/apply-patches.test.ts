import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPatches } from '../../scripts/apply-patches.mjs';

const BEFORE = 'one\ntwo\nthree\nfour\n';
const AFTER = 'one\n2\n2.5\nthree\nfour\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const patch = `A reason.

Package: thing 1.0.0
Sha256-Before: ${sha256(BEFORE)}
Sha256-After: ${sha256(AFTER)}
---
--- a/src/file.js
+++ b/src/file.js
@@ -1,4 +1,5 @@
 one
-two
+2
+2.5
 three
 four
`;

describe('patches of dependencies', () => {
  let root: string;
  const file = (): string => path.join(root, 'node_modules/thing/src/file.js');
  const folders = () => ({ patches: path.join(root, 'patches'), modules: path.join(root, 'node_modules') });

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'palimpsest-patches-'));
    mkdirSync(path.join(root, 'patches'));
    mkdirSync(path.dirname(file()), { recursive: true });
    writeFileSync(path.join(root, 'patches/thing+1.0.0.patch'), patch);
    writeFileSync(path.join(root, 'node_modules/thing/package.json'), '{ "version": "1.0.0" }');
    writeFileSync(file(), BEFORE);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are applied once', () => {
    expect(applyPatches(folders())).toEqual(['thing+1.0.0.patch']);
    expect(readFileSync(file(), 'utf8')).toBe(AFTER);
    expect(applyPatches(folders())).toEqual([]);
    expect(readFileSync(file(), 'utf8')).toBe(AFTER);
  });

  it('are refused where another version is installed', () => {
    writeFileSync(path.join(root, 'node_modules/thing/package.json'), '{ "version": "1.0.1" }');
    expect(() => applyPatches(folders())).toThrow(/for thing 1\.0\.0, 1\.0\.1 is installed/);
    expect(readFileSync(file(), 'utf8')).toBe(BEFORE);
  });

  it('are refused where the text is another one', () => {
    writeFileSync(file(), BEFORE.replace('four', 'five'));
    expect(() => applyPatches(folders())).toThrow(/neither the published text nor the patched one/);
  });

  it('are refused where they do not lead to the text they name', () => {
    writeFileSync(path.join(root, 'patches/thing+1.0.0.patch'), patch.replace('+2.5', '+2.6'));
    expect(() => applyPatches(folders())).toThrow(/does not lead to the text/);
    expect(readFileSync(file(), 'utf8')).toBe(BEFORE);
  });

  it('of this repository fit what is installed, and are in place', () => {
    expect(applyPatches()).toEqual([]);
  });
});
