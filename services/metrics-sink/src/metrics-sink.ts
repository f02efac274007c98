import { type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import type { Ledger, LedgerBlock } from '@palimpsest/ledger';
import type { EventLog, LogRecord } from '@palimpsest/log';
import type { Logger, Metrics } from '@palimpsest/observability';
import { inTransaction } from '@palimpsest/postgres';
import {
  type BatchContext,
  type CheckpointWriter,
  type DecodedRecord,
  PoisonError,
  RetryableError,
  type RunningConsumer,
  startManualConsumer,
} from '@palimpsest/runtime';
import type pg from 'pg';
import { blockOf } from './block-of.js';
import { keepRollupFresh } from './keep-rollup-fresh.js';
import { type Block, blocksWithin, settleBlocks, writeBlock } from './ledger-blocks.js';
import { readRange } from './read-range.js';

export interface MetricsSinkOptions {
  log: EventLog;
  pool: pg.Pool;
  ledger: Ledger;
  decode(record: LogRecord): PalimpsestEvent | Promise<PalimpsestEvent>;
  /** The bill does not depend on a strategy: one generation for good, 0 unless told otherwise. */
  generation?: number;
  metrics: Metrics;
  logger: Logger;
  maxRecords?: number;
  concurrency?: number;
  retry?: { minMs: number; maxMs: number; attempts: number };
}

/** Name of the consumer: of its checkpoints, its group in the log, and its metrics. */
export const METRICS_SINK = 'metrics-sink';

/**
 * Starts the consumer that carries steps and tasks into the ledger, each event once.
 *
 * | killed or failed                              | what happens next                                            |
 * |-----------------------------------------------|--------------------------------------------------------------|
 * | before the block is written to Postgres       | nothing has happened; the batch is cut anew                  |
 * | after it, before the insert                   | the same range is read from the log and inserted             |
 * | in the insert, or its answer is lost          | the same block is sent again; the ledger knows its token     |
 * | after the insert, before the block is settled | the same                                                     |
 * | a former owner's insert arrives late          | it carries the same token, or is recognized row by row       |
 */
export async function createMetricsSink(options: MetricsSinkOptions): Promise<RunningConsumer> {
  const { log, pool, decode, metrics, logger, maxRecords, concurrency, retry } = options;
  const followPrices = pricesOf(options);
  const consumer = await startManualConsumer({
    name: METRICS_SINK,
    generation: options.generation ?? 0,
    topics: [TOPICS.steps, TOPICS.tasks],
    log,
    pool,
    metrics,
    logger,
    decode: (record) => decode(record),
    handleBatch: async (events, context, checkpoint) => {
      await followPrices();
      await handleBatch(options, events, context, checkpoint);
    },
    ...(maxRecords === undefined ? {} : { maxRecords }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(retry === undefined ? {} : { retry }),
  });
  const rollup = keepRollupFresh(options.ledger, logger);
  return {
    done: consumer.done,
    lag: () => consumer.lag(),
    ready: () => consumer.ready(),
    async stop() {
      await consumer.stop();
      await rollup.stop();
    },
  };
}

/** A price that another process imports holds for steps handled this long after it, at the latest. */
const PRICES_AGE_MS = 60_000;

/** Looks prices up again when they are old; while the ledger is away, those known last go on holding. */
function pricesOf({ ledger, logger }: MetricsSinkOptions): () => Promise<void> {
  let loadedAt = performance.now();
  return async () => {
    if (performance.now() - loadedAt < PRICES_AGE_MS) return;
    loadedAt = performance.now();
    await ledger.reloadPrices().catch((err: unknown) => logger.warn({ err }, 'prices were not loaded anew'));
  };
}

async function handleBatch(
  options: MetricsSinkOptions,
  events: readonly DecodedRecord[],
  context: BatchContext,
  checkpoint: CheckpointWriter,
): Promise<void> {
  const { pool, ledger } = options;
  // Before any range is fixed: poison goes to the dead letters first, and no range ever has to be cut again.
  const whole = blockOf(context, context, events, ledger.prices);

  const blocks = await inTransaction(pool, async (tx) => {
    await checkpoint.assertOwner(tx);
    return await cutBlocks(tx, context);
  });
  const sent: LedgerBlock[] = [];
  for (const block of blocks) {
    if (block.done) continue;
    const rows = isWhole(block, context) ? whole : await rebuild(options, context, block, events);
    await insert(ledger, rows);
    sent.push(rows);
  }
  await inTransaction(pool, async (tx) => {
    await settleBlocks(tx, context, blocks);
    await checkpoint.advance(tx, context.nextOffset);
  });
  for (const block of sent) count(options.metrics, block);
}

/**
 * The blocks that carry this batch, in order. Ranges once written stay as they are, done or not, also when the log now
 * delivers other batches: only what no range covers is cut anew.
 */
async function cutBlocks(tx: pg.ClientBase, context: BatchContext): Promise<Block[]> {
  const blocks: Block[] = [];
  let covered = context.fromOffset;
  const cutUpTo = async (nextOffset: bigint): Promise<void> => {
    if (nextOffset <= covered) return;
    const block = { fromOffset: covered, nextOffset, done: false };
    await writeBlock(tx, context, block);
    blocks.push(block);
  };
  for (const block of await blocksWithin(tx, context, context)) {
    await cutUpTo(block.fromOffset);
    blocks.push(block);
    covered = block.nextOffset;
  }
  await cutUpTo(context.nextOffset);
  return blocks;
}

/** A block that was cut for another batch: from this batch's events where it holds them all, else from the log. */
async function rebuild(
  options: MetricsSinkOptions,
  context: BatchContext,
  block: Block,
  events: readonly DecodedRecord[],
): Promise<LedgerBlock> {
  const { log, decode, ledger } = options;
  const held = block.fromOffset >= context.fromOffset && block.nextOffset <= context.nextOffset;
  if (held) return blockOf(context, block, events, ledger.prices);
  const found = await readRange(log, context, block, decode);
  return blockOf(
    context,
    block,
    found.filter((one) => isKeepable(context, block, one, ledger)),
    ledger.prices,
  );
}

/** What was refused when the block was cut is refused again, and reaches the dead letters with its own batch. */
function isKeepable(context: BatchContext, block: Block, one: DecodedRecord, ledger: Ledger): boolean {
  try {
    blockOf(context, block, [one], ledger.prices);
    return true;
  } catch (error) {
    if (error instanceof PoisonError) return false;
    throw error;
  }
}

function isWhole(block: Block, context: BatchContext): boolean {
  return block.fromOffset === context.fromOffset && block.nextOffset === context.nextOffset;
}

async function insert(ledger: Ledger, block: LedgerBlock): Promise<void> {
  try {
    await ledger.insertBlock(block);
  } catch (cause) {
    throw new RetryableError(
      `The ledger did not confirm block ${block.token} (${block.rows.length} ${block.kind}). It is sent again as it ` +
        'is; look at ClickHouse if this goes on.',
      { cause },
    );
  }
}

/** After the commit: a block that is sent again in this process counts once. */
function count(metrics: Metrics, block: LedgerBlock): void {
  if (block.kind !== 'steps') return;
  for (const row of block.rows) {
    if (row.unpriced) metrics.unpriced_steps_total.inc({ provider: row.provider });
    for (const flag of row.flags) metrics.usage_flags_total.inc({ flag });
  }
}
