import { once } from 'node:events';
import path from 'node:path';
import { type EventCodec, type MessageEvent, TOPICS, textPart } from '@palimpsest/events';
import { createFactExtractor } from '@palimpsest/fact-extractor';
import { createExtractiveModel, type LanguageModel } from '@palimpsest/llm';
import { createLogger, createMetrics } from '@palimpsest/observability';
import type { RunningConsumer } from '@palimpsest/runtime';
import { createSummarizer } from '@palimpsest/summarizer';
import { createTruncator } from '@palimpsest/truncator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importFiles } from '../../packages/cli/src/commands/import.js';
import { ROOT } from '../harness/command-line.js';
import { eventCodec } from '../harness/event-codec.js';
import { counter } from '../harness/fold-in-memory.js';
import { type RunningStack, runStack } from '../harness/running-stack.js';

const VIEWS = ['messages', 'artifacts', 'context_views', 'conflicts'];
const DERIVED = ['summaries', 'facts', 'facts_review'];

/** Pins, parallel and late calls, every kind of tool result, a conversation kept verbatim, three languages. */
const SESSIONS = [
  'coding-retry-storm',
  'contract-lease-review',
  'shop-coffee-ru',
  'support-internet-uk',
  'support-stuck-exports',
];

let stack: RunningStack;
let codec: EventCodec;
beforeAll(async () => {
  stack = await runStack();
  codec = (await eventCodec(stack.pool)).codec;
  const folder = path.join(ROOT, 'samples');
  const files = SESSIONS.map((name) => path.join(folder, `${name}.jsonl`));
  await importFiles('events', files, stack);
  await stack.log.append(
    TOPICS.messages,
    disputed().map((event) => ({ key: 'default/disputed', value: codec.encode(event), headers: {} })),
  );
  await stack.settled();
});
afterAll(() => stack.close());

const id = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

const event = (n: number, seq: bigint | null, text: string): MessageEvent => ({
  type: 'message',
  tenant: 'default',
  conversation_id: 'disputed',
  event_id: id(n),
  seq,
  occurred_at: 1_700_000_000_000,
  client_id: null,
  task_id: null,
  agent: null,
  role: 'user',
  content: [textPart(text)],
});

/** What the API refuses and another producer may still write: a place taken twice, repeats, late events, no seq. */
function disputed(): MessageEvent[] {
  const numbered = Array.from({ length: 50 }, (_, n) => event(n, BigInt((n * 7) % 50), `text ${n}`));
  return [
    ...numbered,
    event(100, 3n, 'a second event at place 3'),
    event(101, null, 'no place at all'),
    ...numbered.slice(10, 20),
    event(100, 3n, 'a second event at place 3'),
    event(102, 60n, 'the last'),
  ];
}

/** The rows of a table without their generation, in order, as the bytes they hold. */
async function tableOf(table: string, generation: number): Promise<string[]> {
  const rows = await stack.rows<{ row: string }>(
    `select (to_jsonb(t) - 'generation' - 'created_at')::text as row from palimpsest.${table} t
     where generation = $1 order by 1`,
    [generation],
  );
  return rows.map(({ row }) => row);
}

async function expectSame(generation: number, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    expect(await tableOf(table, generation), `${table} of generation ${generation}`).toEqual(
      await tableOf(table, 1),
    );
  }
}

async function addGeneration(generation: number): Promise<void> {
  await stack.rows(
    `insert into palimpsest.generations (generation, strategy_name, strategy_version, strategy, status)
     select $1, strategy_name, strategy_version, strategy, 'building' from palimpsest.generations where status = 'live'`,
    [generation],
  );
  await stack.rows('select palimpsest.create_generation_partitions($1)', [generation]);
}

const logger = createLogger({ name: 'rebuild', level: 'silent' });
const shared = () => ({
  log: stack.log,
  pool: stack.pool,
  metrics: createMetrics(),
  logger,
  decode: (record: { value: Buffer | null; headers: Record<string, string> }) =>
    codec.decode(record.value as Buffer, record.headers),
});
const truncator = (generation: number, maxRecords: number): Promise<RunningConsumer> =>
  createTruncator({ ...shared(), generation, strategy: stack.strategy, maxRecords });

/** Folds until so many records were decoded; then the registry is "down", and the consumer is stopped as it waits. */
async function foldSome(generation: number, maxRecords: number, records: number): Promise<bigint> {
  let decoded = 0;
  const down = new AbortController();
  const consumer = await createTruncator({
    ...shared(),
    generation,
    strategy: stack.strategy,
    maxRecords,
    decode(record) {
      decoded += 1;
      if (decoded <= records) return shared().decode(record);
      down.abort();
      throw Object.assign(new Error('The registry is down.'), { retryable: true });
    },
  });
  if (!down.signal.aborted) await once(down.signal, 'abort');
  await consumer.stop();
  return consumer.lag();
}

async function idle(consumer: { lag(): Promise<bigint> }): Promise<void> {
  await vi.waitFor(async () => expect(await consumer.lag()).toBe(0n), { timeout: 60_000, interval: 20 });
}

describe('a rebuild from the log', () => {
  it('has something to get wrong', async () => {
    for (const table of [...VIEWS, 'summaries', 'facts']) {
      expect((await tableOf(table, 1)).length, table).toBeGreaterThan(0);
    }
    expect(await tableOf('conflicts', 1)).toHaveLength(2);
  });

  it.each([
    [2, 1],
    [3, 7],
    [4, 5000],
  ])('gives byte-identical views (generation %i, %i records a batch)', async (generation, maxRecords) => {
    await addGeneration(generation);
    const consumer = await truncator(generation, maxRecords);
    await idle(consumer);
    await consumer.stop();
    await expectSame(generation, VIEWS);
  });

  it('gives the same when it is stopped half way and goes on with other batches', async () => {
    await addGeneration(5);
    let lag = 2n ** 62n;
    for (const [maxRecords, records] of [
      [3, 60],
      [40, 90],
      [11, 100],
    ] as const) {
      const left = await foldSome(5, maxRecords, records);
      expect(left).toBeLessThan(lag);
      expect(left).toBeGreaterThan(0n);
      lag = left;
    }
    const consumer = await truncator(5, 1000);
    await idle(consumer);
    await consumer.stop();
    await expectSame(5, VIEWS);
  });

  it('changes nothing when the whole log is delivered again', async () => {
    await stack.rows(
      'update palimpsest.checkpoints set next_offset = 0, epoch = epoch + 1 where generation = 5',
    );
    const consumer = await truncator(5, 23);
    expect(await consumer.lag()).toBeGreaterThan(0n);
    await idle(consumer);
    await consumer.stop();
    await expectSame(5, VIEWS);
  });

  it('makes summaries and facts of recorded derivations, without a call of a model', async () => {
    const generation = 3;
    const extractive = createExtractiveModel({ countTokens: (text) => counter.count(text) });
    const calls: string[] = [];
    const refuse = (what: string) => async (): Promise<never> => {
      calls.push(what);
      throw new Error(`A rebuild asked a model for ${what}.`);
    };
    const model: LanguageModel = {
      ...extractive,
      promptHash: extractive.promptHash.bind(extractive),
      summarize: refuse('a summary'),
      extractFacts: refuse('facts'),
    };
    const topicsBefore = await ends();
    const derivations = {
      ...shared(),
      generation,
      strategy: stack.strategy.label,
      model,
      append: refuse('an append'),
    };
    const { summary } = stack.strategy.settings;
    const summarizer = await createSummarizer({
      ...derivations,
      settings: {
        block: summary?.block ?? 20,
        keepLive: summary?.keep_live ?? 10,
        maxTokens: summary?.leaf_tokens ?? 400,
      },
    });
    const extractor = await createFactExtractor(derivations);
    for (const service of [summarizer, extractor]) {
      await vi.waitFor(
        async () => expect([await service.lag(), await service.pendingJobs()]).toEqual([0n, 0]),
        { timeout: 60_000, interval: 20 },
      );
      await service.stop();
    }
    expect(calls).toEqual([]);
    expect(await ends()).toEqual(topicsBefore);
    await expectSame(generation, [...DERIVED, 'derivation_state']);
  });
});

/** Ends of all topics: a rebuild reads the log and adds nothing to it. */
async function ends(): Promise<unknown> {
  return Promise.all(Object.values(TOPICS).map((topic) => stack.log.bounds(topic)));
}
