#!/usr/bin/env node
// Linked as `palimpsest` into node_modules/.bin by npm, so that `npx palimpsest` works inside a clone.
await import('../../../scripts/palimpsest.mjs');
