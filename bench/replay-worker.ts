import { buildGeneration } from '@palimpsest/cli/replay';
import { createCodec, EVENT_TYPES } from '@palimpsest/events';
import { createExtractiveModel } from '@palimpsest/llm';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger } from '@palimpsest/observability';
import { openPool } from '@palimpsest/postgres';
import { parseStrategy } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';

// A replay in a process of its own, so that the memory is its alone: prints seconds and the largest resident set.
const [url = '', name = ''] = process.argv.slice(2);
const { pool, close } = openPool(url, 16);
const log = await createEmbeddedLog({ pool, listen: url });
const codec = createCodec({
  ids: new Map(EVENT_TYPES.map((type, index) => [type, index + 1])),
  schemaById: () => Promise.reject(new Error('no other writer')),
});
const model = createExtractiveModel({ countTokens: (text) => tokenCounter(null).count(text) });
const logger = createLogger({ name: 'bench', level: 'error' });
let rss = 0;
const watch = setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 20);
const begin = performance.now();
await buildGeneration({ pool, log, codec, model, logger }, parseStrategy(`name: ${name}\n`, 'bench'));
const seconds = (performance.now() - begin) / 1000;
clearInterval(watch);
await log.close();
await close();
process.stdout.write(JSON.stringify({ seconds, rss }));
