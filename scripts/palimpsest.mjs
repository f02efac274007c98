#!/usr/bin/env node
// `palimpsest …` from a clone: installs and builds where that is still to be done, then hands over to the command line.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

setup();
await import(pathToFileURL(join(root, 'packages', 'cli', 'dist', 'main.js')).href);
