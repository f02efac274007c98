import { createContextReader, createLiveStrategies } from '@palimpsest/context-api';
import type { LogRecord } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { parseStrategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration } from '@palimpsest/views';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchStore, chatEvents, chatText, fillLog, openBenchStore } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, percentile, rounded, thisMachine } from './result.js';

const CONVERSATIONS = 400;
const CLIENTS = 16;

/**
 * The context endpoint's storage read (view, summaries and facts in one statement) against a bare read of the same row
 * by primary key, 16 clients each, interleaved. `details` also has the whole context, read and assembled.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const repetitions = options.quick ? 1 : 5;
  const reads = options.quick ? 800 : 4000;
  const store = await openBenchStore();
  try {
    await fold(store, options.quick ? 8000 : 40_000);
    const reader = createContextReader({
      pool: store.pool,
      strategies: createLiveStrategies(store.pool),
      now: () => Date.now(),
    });
    const sides = { bare: [] as number[], storage: [] as number[], context: [] as number[] };
    const work = {
      bare: (conversation: string) => bareRead(store, conversation),
      storage: (conversation: string) => reader.load({ tenant: 'bench', conversation }),
      context: (conversation: string) =>
        reader.read({ tenant: 'bench', conversation, budget: 8000, format: 'openai' }),
    };
    const p99 = { bare: [] as number[], storage: [] as number[], context: [] as number[] };
    for (let repetition = -1; repetition < repetitions; repetition += 1) {
      for (const side of ['bare', 'storage', 'context'] as const) {
        const latencies = await measure(work[side], side === 'context' ? reads / 4 : reads);
        if (repetition < 0) continue; // warm-up
        sides[side].push(percentile(latencies, 0.5));
        p99[side].push(percentile(latencies, 0.99));
      }
    }
    const floor = median(p99.bare);
    const value = median(p99.storage);
    return {
      name: 'read',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'ms (p99, lower is better)',
      n: repetitions,
      machine: thisMachine(),
      details: {
        clients: CLIENTS,
        reads,
        p50: {
          bare: rounded(median(sides.bare)),
          storage: rounded(median(sides.storage)),
          context: rounded(median(sides.context)),
        },
        p99: { bare: rounded(floor), storage: rounded(value), context: rounded(median(p99.context)) },
      },
    };
  } finally {
    await store.close();
  }
}

const STRATEGY = 'name: default\nsummary: {}\nfacts: {}\n';

async function fold(store: BenchStore, events: number): Promise<void> {
  const strategy = parseStrategy(STRATEGY, 'bench');
  await ensureLiveGeneration(store.pool, { ...strategy, name: 'default' });
  await fillLog(store, chatEvents(events, CONVERSATIONS, chatText()), 4);
  const truncator = await createTruncator({
    log: store.log,
    pool: store.pool,
    decode: (record: LogRecord) => store.codec.decode(record.value as Buffer, record.headers),
    generation: 1,
    strategy,
    metrics: createMetrics(),
    logger: createLogger({ name: 'bench', level: 'warn' }),
  });
  while ((await truncator.lag()) > 0n) await delay(20);
  await truncator.stop();
  await store.pool.query('vacuum analyze palimpsest.context_views');
}

async function bareRead(store: BenchStore, conversation: string): Promise<unknown> {
  return store.pool.query({
    name: 'bench-bare-read',
    text: 'select state from palimpsest.context_views where generation = 1 and tenant = $1 and conversation_id = $2',
    values: ['bench', conversation],
  });
}

/** Latencies in ms of `count` reads by 16 clients that ask one after another. */
async function measure(read: (conversation: string) => Promise<unknown>, count: number): Promise<number[]> {
  const latencies: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const conversation = `conversation-${(next * 7919) % CONVERSATIONS}`;
      next += 1;
      const begin = performance.now();
      await read(conversation);
      latencies.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return latencies;
}
