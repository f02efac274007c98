import {
  createContextApi,
  createContextReader,
  createLedgerReader,
  createLiveStrategies,
} from '@palimpsest/context-api';
import { deadLetterTopic, type EventCodec, TOPICS } from '@palimpsest/events';
import { createFactExtractorFor } from '@palimpsest/fact-extractor';
import { type Ledger, openLedger } from '@palimpsest/ledger';
import type { EventLog } from '@palimpsest/log';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createMetricsSink } from '@palimpsest/metrics-sink';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { openPool } from '@palimpsest/postgres';
import { startPostgres } from '@palimpsest/postgres-embedded';
import { createPostgresRegistry } from '@palimpsest/schema-registry';
import {
  appendEvents,
  followGenerations,
  openCodec,
  registerSchemas,
  strategyNamed,
} from '@palimpsest/service-host';
import { strategyFromCanonical, type Strategy } from '@palimpsest/strategy';
import { createSummarizerFor } from '@palimpsest/summarizer';
import { createTruncator } from '@palimpsest/truncator';
import { createKey, ensureLiveGeneration, migrate } from '@palimpsest/views';
import type pg from 'pg';
import type { Environment } from '../environment.js';
import {
  openDataFolder,
  readKey,
  removeInstance,
  runningInstance,
  writeInstance,
  writeKey,
} from './data-folder.js';
import { modelOf } from './model-of.js';

/** Partitions of each topic: enough that conversations are folded side by side on a few cores. */
const PARTITIONS = 4;

/** All services in one process, on Postgres and ClickHouse of their own. */
export interface EmbeddedStack {
  url: string;
  /** The API key of the embedded default. */
  key: string;
  /** Whether the key, and so the store, was made by this start. */
  isNew: boolean;
  strategy: Strategy;
  pool: pg.Pool;
  ledger: Ledger;
  log: EventLog;
  /** Resolves when every consumer has handled everything and no job waits. Rejects when a consumer has died. */
  settled(): Promise<void>;
  /** Rejects when a consumer dies; never resolves before `stop`. */
  readonly done: Promise<unknown>;
  stop(): Promise<void>;
}

/** What was started, in order; closed in reverse. */
type Closers = (() => Promise<unknown>)[];

/**
 * Starts the embedded stack on a data folder. Its data survives a stop, a restart and a kill. Throws when another
 * stack runs on the folder.
 */
export async function startEmbeddedStack(
  environment: Environment,
  say: (line: string) => void,
): Promise<EmbeddedStack> {
  const folder = openDataFolder(environment.dataFolder);
  const other = runningInstance(folder);
  if (other !== null) {
    throw new Error(
      `A stack runs on ${folder.root} already (${other.url}, process ${other.pid}). Stop it first, or choose another folder with --data.`,
    );
  }
  const closers: Closers = [];
  try {
    say('Starting Postgres…');
    const postgres = await startPostgres({ dataFolder: folder.postgres });
    closers.push(() => postgres.stop());
    const connectionString = postgres.url();
    const pool = poolOf(connectionString, 16, closers);
    const logPool = poolOf(connectionString, 8, closers);
    await migrate(pool);

    say('Opening ClickHouse…');
    const ledger = await openLedger({ kind: 'embedded', path: folder.clickhouse });
    closers.push(() => ledger.close());

    const log = await createEmbeddedLog({ pool: logPool, listen: connectionString });
    closers.push(() => log.close());
    await createTopics(log);
    const registry = await createPostgresRegistry({ pool });
    await registerSchemas(registry);
    const codec = await openCodec(registry, 'the embedded store');
    const preset = strategyNamed('default');
    const live = await ensureLiveGeneration(pool, { ...preset, name: preset.settings.name });
    const strategy = strategyFromCanonical(live.strategy);
    if (strategy.version !== preset.version) {
      say(`The live generation keeps ${strategy.label}; ${preset.label} needs a replay.`);
    }
    return await startServices({
      environment,
      folder,
      connectionString,
      pool,
      ledger,
      log,
      codec,
      strategy,
      closers,
    });
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

interface Foundation {
  environment: Environment;
  folder: ReturnType<typeof openDataFolder>;
  connectionString: string;
  pool: pg.Pool;
  ledger: Ledger;
  log: EventLog;
  codec: EventCodec;
  strategy: Strategy;
  closers: Closers;
}

async function startServices(foundation: Foundation): Promise<EmbeddedStack> {
  const { environment, folder, connectionString, pool, ledger, log, codec } = foundation;
  const { strategy, closers } = foundation;
  const logger = createLogger({
    name: 'palimpsest',
    level: environment.logLevel,
    destination: process.stderr,
  });
  const metrics = createMetrics();
  const decode = (record: Parameters<Parameters<typeof createTruncator>[0]['decode']>[0]) =>
    codec.decode(record.value as Buffer, record.headers);
  const shared = { log, pool, metrics, logger, decode };
  const derivations = { ...shared, ...modelOf(environment), append: appendEvents(log, codec) };

  const truncators = await followGenerations({
    ...shared,
    start: (of) => createTruncator({ ...shared, ...of }),
  });
  closers.push(() => truncators.stop());
  const sink = await createMetricsSink({ ...shared, ledger });
  closers.push(() => sink.stop());
  const summarizers = await followGenerations({
    ...shared,
    start: (of) => createSummarizerFor({ ...derivations, ...of }),
  });
  closers.push(() => summarizers.stop());
  const extractors = await followGenerations({
    ...shared,
    start: (of) => createFactExtractorFor({ ...derivations, ...of }),
  });
  closers.push(() => extractors.stop());
  const consumers = [truncators, sink, summarizers, extractors];

  const strategies = createLiveStrategies(pool);
  const api = await createContextApi({
    log,
    pool,
    codec,
    context: createContextReader({ pool, strategies, now: () => Date.now() }),
    live: () => strategies.current(),
    labelled: (label) => strategies.labelled(label),
    ledger: createLedgerReader(ledger),
    metrics,
    logger,
    limits: { requestsPerMinute: 600_000 },
    readiness: { postgres: async () => void (await pool.query('select 1')) },
  });
  closers.push(() => api.close());
  const url = await api.listen({ port: environment.port });
  const known = readKey(folder);
  const key = known ?? (await makeKey(pool, folder));
  writeInstance(folder, { url, postgres: connectionString });
  closers.push(async () => removeInstance(folder));

  return {
    url,
    key,
    isNew: known === null,
    strategy,
    pool,
    ledger,
    log,
    done: Promise.all(consumers.map((consumer) => consumer.done)),
    async settled() {
      await Promise.race([
        Promise.all(consumers.map((consumer) => consumer.done)),
        untilIdle(consumers, [summarizers, extractors]),
      ]);
    },
    stop: () => closeAll(closers),
  };
}

interface Lagging {
  lag(): Promise<bigint>;
}

/** Jobs append events and events make jobs: idle is when a look at both, twice in a row, finds nothing. */
async function untilIdle(
  consumers: readonly Lagging[],
  jobs: readonly { pendingJobs(): Promise<number> }[],
): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    const lags = await Promise.all(consumers.map((consumer) => consumer.lag()));
    const pending = await Promise.all(jobs.map((service) => service.pendingJobs()));
    const idle = lags.every((lag) => lag === 0n) && pending.every((count) => count === 0);
    quiet = idle ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function createTopics(log: EventLog): Promise<void> {
  for (const topic of Object.values(TOPICS)) {
    await log.createTopic(topic, PARTITIONS);
    await log.createTopic(deadLetterTopic(topic), 1);
  }
}

async function makeKey(pool: pg.Pool, folder: Foundation['folder']): Promise<string> {
  const { secret } = await createKey(pool, { tenant: 'default', scopes: ['ingest', 'read', 'admin'] });
  writeKey(folder, secret);
  return secret;
}

function poolOf(connectionString: string, max: number, closers: Closers): pg.Pool {
  const { pool, close } = openPool(connectionString, max);
  closers.push(close);
  return pool;
}

async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.splice(0).toReversed()) {
    await close().catch((error: unknown) => {
      process.stderr.write(`While stopping: ${(error as Error).message}\n`);
    });
  }
}
