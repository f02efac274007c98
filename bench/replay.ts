import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LogRecord } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { parseStrategy, type Strategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration } from '@palimpsest/views';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchStore, chatEvents, chatText, fillLog, openBenchStore } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

const PARTITIONS = 6;
const EVENTS = 300_000;
const logger = createLogger({ name: 'bench', level: 'error' });

/**
 * A replay of views (truncator alone, as no strategy of this bench has summaries) in a process of its own against the best
 * rate of the live truncator on the same events; and its memory beside that of a replay of a tenth as many.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const events = options.quick ? 6000 : EVENTS;
  const small = events / 10;
  const store = await openBenchStore();
  try {
    await fillLog(store, chatEvents(small, small / 100, chatText()), PARTITIONS);
    await ensureLiveGeneration(store.pool, { ...strategyOf('live'), name: 'live' });
    await live(store, 1);
    const first = await replay(store, 'small');
    // In pieces, so that the events themselves do not count as memory.
    for (let made = small; made < events; made += small) {
      await fillLog(store, piece(made, small), PARTITIONS);
    }
    const rates = { live: [] as number[], replay: [] as number[] };
    let memory = 0;
    for (let repetition = 0; repetition < (options.quick ? 1 : 3); repetition += 1) {
      // Above those that replays number on.
      const generation = 1000 * (repetition + 1);
      rates.live.push(events / (await live(store, generation)));
      const large = await replay(store, `large-${repetition}`);
      rates.replay.push(events / large.seconds);
      memory = Math.max(memory, large.rss);
    }
    const floor = Math.max(...rates.live);
    const value = median(rates.replay);
    return {
      name: 'replay',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'events/s',
      n: rates.replay.length,
      machine: thisMachine(),
      details: {
        events,
        rss_mb: { [small]: Math.round(first.rss / 1e6), [events]: Math.round(memory / 1e6) },
        rss_ratio: rounded(memory / first.rss),
      },
    };
  } finally {
    await store.close();
  }
}

function strategyOf(name: string): Strategy {
  return parseStrategy(`name: ${name}\n`, 'bench');
}

/** Conversations come and go: each piece of the log has its own. */
function piece(from: number, count: number) {
  return chatEvents(count, count / 100, chatText()).map((event, index) => ({
    ...event,
    conversation_id: `${event.conversation_id}-${from}`,
    event_id: `00000000-0000-4000-8000-${(from + index).toString(16).padStart(12, '0')}`,
  }));
}

/** Seconds of the services' truncator over all of the log. */
async function live(store: BenchStore, generation: number): Promise<number> {
  const strategy = strategyOf('live');
  await store.pool.query(
    `insert into palimpsest.generations (generation, strategy_name, strategy_version, strategy, status)
     values ($1, 'live', $2, $3, 'building') on conflict do nothing`,
    [generation, `${strategy.version}-${generation}`, strategy.canonical],
  );
  await store.pool.query('select palimpsest.create_generation_partitions($1)', [generation]);
  await store.pool.query('checkpoint');
  const begin = performance.now();
  const truncator = await createTruncator({
    log: store.log,
    pool: store.pool,
    decode: (record: LogRecord) => store.codec.decode(record.value as Buffer, record.headers),
    generation,
    strategy,
    metrics: createMetrics(),
    logger,
  });
  while ((await truncator.lag()) > 0n) await delay(20);
  const seconds = (performance.now() - begin) / 1000;
  await truncator.stop();
  return seconds;
}

async function replay(store: BenchStore, name: string): Promise<{ seconds: number; rss: number }> {
  await store.pool.query('checkpoint');
  const worker = fileURLToPath(new URL('replay-worker.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [worker, store.url, name]);
  return JSON.parse(stdout) as { seconds: number; rss: number };
}
