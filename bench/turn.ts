import { createContextReader, createLiveStrategies } from '@palimpsest/context-api';
import { type PalimpsestEvent, keyOf, TOPICS } from '@palimpsest/events';
import type { LogRecord } from '@palimpsest/log';
import { createLogger, createMetrics } from '@palimpsest/observability';
import type { RunningConsumer } from '@palimpsest/runtime';
import { parseStrategy } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration } from '@palimpsest/views';
import { setImmediate as soon, setTimeout as delay } from 'node:timers/promises';
import { type BenchStore, chatEvents, chatText, fillLog, openBenchStore } from './bench-store.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

const SHORT = 100;
const LONG = 10_000;
const BUDGET = 8000;
const STRATEGY = 'name: default\nsummary: {}\nfacts: {}\n';

/**
 * One turn (an event appended, folded, its context read) in a conversation of 10,000 messages against the same in one of
 * 100: what a conversation costs must not grow with its length. Turns of both interleave.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const turns = options.quick ? 20 : 300;
  const store = await openBenchStore();
  try {
    const strategy = parseStrategy(STRATEGY, 'bench');
    await ensureLiveGeneration(store.pool, { ...strategy, name: 'default' });
    const lengths = { long: LONG, short: SHORT };
    const spare = new Map<string, PalimpsestEvent[]>();
    const all: PalimpsestEvent[] = [];
    for (const [name, length] of Object.entries(lengths)) {
      const events = chatEvents(length + turns, 1, chatText()).map((event) => renamed(event, name));
      all.push(...events.slice(0, length));
      spare.set(name, events.slice(length));
    }
    await fillLog(store, all, 1);
    const truncator = await startTruncator(store, strategy);
    const reader = createContextReader({
      pool: store.pool,
      strategies: createLiveStrategies(store.pool),
      now: () => Date.now(),
    });
    const read = (conversation: string) =>
      reader.read({ tenant: 'bench', conversation, budget: BUDGET, format: 'openai' });
    const times = { long: { fold: [], read: [] }, short: { fold: [], read: [] } } as Times;
    for (let turn = 0; turn < turns; turn += 1) {
      for (const name of ['long', 'short'] as const) {
        const begin = performance.now();
        await append(store, spare.get(name)?.[turn] as PalimpsestEvent);
        while ((await truncator.lag()) > 0n) await soon();
        const folded = performance.now();
        await read(name);
        times[name].fold.push(folded - begin);
        times[name].read.push(performance.now() - folded);
      }
    }
    await truncator.stop();
    return resultOf(times, turns);
  } finally {
    await store.close();
  }
}

type Times = Record<'long' | 'short', { fold: number[]; read: number[] }>;

function resultOf(times: Times, turns: number): BenchResult {
  const whole = ({ fold, read }: Times['long']): number =>
    median(fold.map((ms, turn) => ms + (read[turn] ?? 0)));
  const floor = whole(times.short);
  const value = whole(times.long);
  const parts = ({ fold, read }: Times['long']) => ({
    fold: rounded(median(fold)),
    read: rounded(median(read)),
  });
  return {
    name: 'turn',
    floor: rounded(floor),
    value: rounded(value),
    ratio: rounded(value / floor),
    unit: 'ms (p50, lower is better)',
    n: turns,
    machine: thisMachine(),
    details: { messages: { long: LONG, short: SHORT }, long: parts(times.long), short: parts(times.short) },
  };
}

function renamed(event: PalimpsestEvent, conversation: string): PalimpsestEvent {
  const id = event.event_id.replace(/^0{8}/, conversation === 'long' ? '1'.repeat(8) : '2'.repeat(8));
  return { ...event, event_id: id, conversation_id: conversation };
}

async function append(store: BenchStore, event: PalimpsestEvent): Promise<void> {
  await store.log.append(TOPICS.messages, [{ key: keyOf(event), value: store.codec.encode(event) }]);
}

async function startTruncator(
  store: BenchStore,
  strategy: ReturnType<typeof parseStrategy>,
): Promise<RunningConsumer> {
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
  return truncator;
}
