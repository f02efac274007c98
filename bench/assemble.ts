import { createContextReader, createLiveStrategies } from '@palimpsest/context-api';
import type { LogRecord } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { parseStrategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration } from '@palimpsest/views';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchStore, chatEvents, chatText, fillLog, openBenchStore } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

const CONVERSATIONS = 40;
const BUDGET = 8000;
const STRATEGY = 'name: default\nsummary: {}\nfacts: {}\n';

/**
 * A context of 8,000 tokens, from the request to the bytes of the answer, against reading as many of the newest messages
 * of the same conversation and writing them as JSON. One client; each side in turn.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const reads = options.quick ? 100 : 2000;
  const store = await openBenchStore();
  try {
    const strategy = parseStrategy(STRATEGY, 'bench');
    await ensureLiveGeneration(store.pool, { ...strategy, name: 'default' });
    await fillLog(store, chatEvents(CONVERSATIONS * 200, CONVERSATIONS, chatText()), 4);
    await fold(store, strategy);
    const reader = createContextReader({
      pool: store.pool,
      strategies: createLiveStrategies(store.pool),
      now: () => Date.now(),
    });
    const shown = new Map<string, number>();
    const context = async (conversation: string): Promise<number> => {
      const answer = await reader.read({ tenant: 'bench', conversation, budget: BUDGET, format: 'openai' });
      if (!('body' in answer)) throw new Error(`no context of ${conversation}`);
      shown.set(conversation, (answer.body as { messages: unknown[] }).messages.length);
      return JSON.stringify(answer.body).length;
    };
    const messages = async (conversation: string): Promise<number> => {
      const { rows } = await store.pool.query<{ entry: string }>({
        name: 'bench-messages',
        text: `select entry from palimpsest.messages where generation = 1 and tenant = 'bench' and conversation_id = $1
               order by ord desc limit $2`,
        values: [conversation, shown.get(conversation) ?? 0],
      });
      return JSON.stringify({ messages: rows.map(({ entry }) => JSON.parse(entry) as object) }).length;
    };
    const times = { context: [] as number[], messages: [] as number[] };
    for (let read = -CONVERSATIONS; read < reads; read += 1) {
      const conversation = `conversation-${(read + CONVERSATIONS) % CONVERSATIONS}`;
      for (const [side, work] of Object.entries({ context, messages })) {
        const begin = performance.now();
        await work(conversation);
        if (read >= 0) times[side as 'context'].push(performance.now() - begin);
      }
    }
    const floor = median(times.messages);
    const value = median(times.context);
    return {
      name: 'assemble',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'ms (p50, lower is better)',
      n: reads,
      machine: thisMachine(),
      details: { budget: BUDGET, messages_shown: rounded(median([...shown.values()])) },
    };
  } finally {
    await store.close();
  }
}

async function fold(store: BenchStore, strategy: ReturnType<typeof parseStrategy>): Promise<void> {
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
  await store.pool.query('vacuum analyze palimpsest.messages, palimpsest.context_views');
}
