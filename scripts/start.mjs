// `npm start`: the embedded stack, whatever state the clone is in.
process.argv.splice(2, 0, 'start');
await import('./palimpsest.mjs');
