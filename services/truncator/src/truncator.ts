import { type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import type { Logger, Metrics } from '@palimpsest/observability';
import { type RunningConsumer, startConsumer } from '@palimpsest/runtime';
import type { Strategy } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import type { ObjectStore } from '@palimpsest/views';
import type pg from 'pg';
import { foldBatch } from './fold-batch.js';
import { HotStates } from './hot-states.js';

export interface TruncatorOptions {
  log: EventLog;
  pool: pg.Pool;
  decode(record: LogRecord): PalimpsestEvent | Promise<PalimpsestEvent>;
  /** Which events are folded; default all. */
  accepts?(event: PalimpsestEvent): boolean;
  generation: number;
  strategy: Strategy;
  metrics: Metrics;
  logger: Logger;
  maxRecords?: number;
  concurrency?: number;
  /** Where large originals go; without one they stay in Postgres. */
  objects?: ObjectStore | null;
}

/** A large batch writes the view of a busy conversation once for many events; measured in docs/decisions/0002. */
const MAX_RECORDS = 5000;

/** The consumer that folds chat.messages into messages, artifacts and context views. */
export function createTruncator(options: TruncatorOptions): Promise<RunningConsumer> {
  const hot = new HotStates();
  const tools = {
    settings: options.strategy.settings,
    counter: tokenCounter(null),
    hot,
    metrics: options.metrics,
    objects: options.objects ?? null,
  };
  return startConsumer({
    name: 'truncator',
    topics: [TOPICS.messages],
    generation: options.generation,
    log: options.log,
    pool: options.pool,
    metrics: options.metrics,
    logger: options.logger,
    decode: options.decode,
    ...(options.accepts === undefined ? {} : { accepts: options.accepts }),
    handle: (tx, events, context) => foldBatch(tx, events, context, tools),
    dropState: (_topic, partition) => hot.drop(partition),
    maxRecords: options.maxRecords ?? MAX_RECORDS,
    concurrency: options.concurrency ?? 3,
  });
}
