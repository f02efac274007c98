import type { EventCodec, PalimpsestEvent } from '@palimpsest/events';
import type { EventLog, LogRecord } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { createLogger, createMetrics, type Logger, type Metrics } from '@palimpsest/observability';
import { createRegistryClient, RegistryUnavailable } from '@palimpsest/schema-registry';
import type { Strategy } from '@palimpsest/strategy';
import type pg from 'pg';
import { appendEvents } from './append-events.js';
import { addressOf, openCodec } from './open-codec.js';
import { isPostgresAway, openPool, prepareStore } from './open-postgres.js';
import { startOperationsServer } from './operations-server.js';
import { kafkaConnection } from './settings/kafka-connection.js';
import type { SettingsOf, Variables } from './settings/read-variables.js';
import type { SERVICE_VARIABLES } from './settings/variables.js';
import { waitUntilUp } from './wait-until-up.js';
import { type WatchedLog, watchAssignments } from './watch-assignments.js';

export type ServiceSettings<V extends Variables> = SettingsOf<typeof SERVICE_VARIABLES> & SettingsOf<V>;

/** What a service is built from. */
export interface ServiceParts {
  log: EventLog;
  pool: pg.Pool;
  codec: EventCodec;
  decode(record: LogRecord): PalimpsestEvent | Promise<PalimpsestEvent>;
  /** Appends events to the topics of their types, in the order given. */
  append(events: readonly PalimpsestEvent[]): Promise<void>;
  /** The live generation at the start of this process, and its strategy. */
  generation: number;
  strategy: Strategy;
  metrics: Metrics;
  logger: Logger;
  /** What must be closed behind the service's own `stop`; the last one given is closed first. */
  onStop(close: () => Promise<unknown>): void;
  /** Tells the log, and the parent process if there is one, that something is served at `url`. */
  serves(what: string, url: string): void;
  /** Rejects with what keeps this process from its work now; for a service with a `/readyz` of its own. */
  assertReady(): Promise<void>;
}

export interface StartedService {
  /** Ends the service's own work: running handlers finish. */
  stop(): Promise<void>;
  /** Rejects when it cannot go on. */
  readonly done: Promise<unknown>;
}

export interface ServiceOptions<V extends Variables> {
  name: string;
  /** Variables of this service beside those of every service. */
  variables: V;
  /** Its transactions wait for other systems, so that Postgres may not end those that stand idle. */
  transactionsWait?: boolean;
  /** Another log than Kafka, for tests. */
  openLog?(): Promise<EventLog>;
  start(parts: ServiceParts & { settings: ServiceSettings<V> }): Promise<StartedService>;
}

export interface HostOptions<V extends Variables> extends ServiceOptions<V> {
  settings: ServiceSettings<V>;
  /** Aborted to drain. */
  signal: AbortSignal;
  logger?: Logger;
  serves?(what: string, url: string): void;
}

/** What kafkajs calls a warning or an error and is none: topics that exist, and retries that do have an end. */
const CLIENT_NOISE = [/CreateTopics.*Topic creation errors/, /^Limiting retries for the idempotent producer/];

/**
 * Runs one service until `signal` is aborted, then drains it: opens the parts (waiting for Postgres and the registry
 * as long as they are away), starts it, and closes everything in reverse. Rejects when it cannot start or go on.
 */
export async function hostService<V extends Variables>(options: HostOptions<V>): Promise<void> {
  const { name, settings, signal } = options;
  const logger = options.logger ?? createLogger({ name, level: settings.logLevel });
  const closers: (() => Promise<unknown>)[] = [];
  const onStop = (close: () => Promise<unknown>): void => void closers.push(close);
  try {
    const service = await openService(options, logger, onStop);
    logger.info('started');
    await Promise.race([service.done, aborted(signal)]);
    logger.info('drains');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const close of closers.toReversed()) {
      await close().catch((err: unknown) => logger.warn({ err }, 'a part could not be closed'));
    }
  }
}

async function openService<V extends Variables>(
  options: HostOptions<V>,
  logger: Logger,
  onStop: ServiceParts['onStop'],
): Promise<StartedService> {
  const { name, settings, signal } = options;
  const metrics = createMetrics();
  const serves = (what: string, url: string): void => {
    logger.info({ what, url }, `serves ${what} at ${url}`);
    options.serves?.(what, url);
  };

  const pool = openPool({
    application: `palimpsest-${name}`,
    url: settings.postgresUrl,
    connections: settings.postgresConnections,
    idleInTransactionMs: options.transactionsWait === true ? 0 : settings.idleInTransactionMs,
  });
  onStop(() => pool.end());
  let starting: string | null = 'Postgres';
  let watched: WatchedLog | undefined;
  const missing = async (): Promise<string[]> => {
    if (signal.aborted) return ['nothing: the process drains'];
    return starting === null ? await notReady(pool, metrics, watched) : [`${starting} (the process starts)`];
  };
  const { operationsHost: host, operationsPort: port } = settings;
  const operations = await startOperationsServer({ host, port, metrics, missing });
  onStop(() => operations.close());
  serves('operations', operations.url);

  const waiting = { logger, signal };
  const live = await waitUntilUp({ ...waiting, what: 'Postgres', isAway: isPostgresAway }, () =>
    prepareStore(pool, settings.strategy),
  );
  starting = 'the schema registry';
  const registry = createRegistryClient({ url: settings.registryUrl });
  const codec = await waitUntilUp({ ...waiting, what: 'the schema registry', isAway: isRegistryAway }, () =>
    openCodec(registry, addressOf(settings.registryUrl)),
  );
  starting = 'Kafka';
  const log = await unlessAborted(signal, options.openLog?.() ?? openKafka(name, settings, logger));
  onStop(() => log.close());
  watched = watchAssignments(log);
  starting = name;
  const service = await options.start({
    ...live,
    log: watched.log,
    pool,
    codec,
    decode: (record) => codec.decode(record.value as Buffer, record.headers),
    append: appendEvents(watched.log, codec),
    metrics,
    logger,
    onStop,
    serves,
    async assertReady() {
      const waits = await missing();
      if (waits.length > 0) throw new Error(`Waits for ${waits.join(', ')}.`);
    },
    settings,
  });
  onStop(() => service.stop());
  starting = null;
  return service;
}

function isRegistryAway(error: unknown): boolean {
  return error instanceof RegistryUnavailable;
}

function openKafka(
  name: string,
  settings: SettingsOf<typeof SERVICE_VARIABLES>,
  logger: Logger,
): Promise<EventLog> {
  return createKafkaLog({
    ...kafkaConnection(`palimpsest-${name}`, settings),
    sessionTimeoutMs: settings.sessionMs,
    onClientLog: (level, message, details) => {
      const known = CLIENT_NOISE.some((noise) => noise.test(`${message} ${String(details['error'])}`));
      logger[known ? 'debug' : level]({ kafka: details }, message);
    },
  });
}

async function notReady(pool: pg.Pool, metrics: Metrics, watched: WatchedLog | undefined): Promise<string[]> {
  const waits = (watched?.loading() ?? []).map((place) => `the checkpoint of ${place}`);
  for (const { labels, value } of (await metrics.consumer_ready.get()).values) {
    if (value === 0) waits.push(`a dependency of ${labels.consumer} that its log names`);
  }
  await pool.query('select 1').catch((error: Error) => waits.push(`Postgres (${error.message})`));
  return waits;
}

/** The log, unless we are told to end while it is opened, which can take a minute; then it is closed when it comes. */
async function unlessAborted(signal: AbortSignal, opening: Promise<EventLog>): Promise<EventLog> {
  const opened = await Promise.race([opening, aborted(signal)]);
  if (opened !== undefined) return opened;
  opening.then((log) => log.close()).catch(() => undefined);
  throw signal.reason;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
