// `npm run -s bench -- <name> [--json] [--quick]`: one bench; its JSON on stdout, everything else on stderr.
import { setup } from './setup.mjs';

setup();
await import('../bench/dist/main.js');
