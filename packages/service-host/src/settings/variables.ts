import { addresses, choice, port, text, url, whole } from './kinds.js';

const HTTP = ['http', 'https'];

/** How Kafka is reached; by every service and by `palimpsest topics`. */
export const KAFKA_VARIABLES = {
  brokers: addresses('PALIMPSEST_KAFKA_BROKERS', { decides: 'brokers to ask first' }),
  tls: choice('PALIMPSEST_KAFKA_TLS', ['off', 'on'], { decides: 'TLS to the brokers', fallback: 'off' }),
  caFile: text('PALIMPSEST_KAFKA_CA_FILE', {
    wants: 'a PEM file',
    decides: "authorities trusted in place of the system's",
    fallback: null,
  }),
  certificateFile: text('PALIMPSEST_KAFKA_CERT_FILE', {
    wants: 'a PEM file',
    decides: 'client certificate, for mutual TLS',
    fallback: null,
  }),
  keyFile: text('PALIMPSEST_KAFKA_KEY_FILE', {
    wants: 'a PEM file',
    decides: 'its private key',
    fallback: null,
  }),
  sasl: choice('PALIMPSEST_KAFKA_SASL', ['off', 'plain', 'scram-sha-256', 'scram-sha-512'], {
    decides: 'SASL mechanism; plain only over TLS',
    fallback: 'off',
  }),
  saslUser: text('PALIMPSEST_KAFKA_USER', { wants: 'a name', decides: 'SASL user', fallback: null }),
  saslPassword: text('PALIMPSEST_KAFKA_PASSWORD', {
    wants: 'a password',
    decides: 'SASL password',
    isSecret: true,
    fallback: null,
  }),
};

export const REGISTRY_VARIABLES = {
  registryUrl: url('PALIMPSEST_REGISTRY_URL', {
    protocols: HTTP,
    example: 'http://user:password@registry:8081',
    decides: 'schema registry that speaks the Confluent REST paths',
  }),
};

export const STORE_VARIABLES = {
  postgresUrl: url('PALIMPSEST_POSTGRES_URL', {
    protocols: ['postgres', 'postgresql'],
    example: 'postgres://user:password@host:5432/palimpsest',
    decides: 'store of views and checkpoints; `?sslmode=verify-full` for TLS',
  }),
};

/** Of every service. */
export const SERVICE_VARIABLES = {
  ...KAFKA_VARIABLES,
  sessionMs: whole('PALIMPSEST_KAFKA_SESSION_MS', {
    min: 1000,
    max: 300_000,
    unit: 'milliseconds',
    decides: 'silence after which the group gives a process up',
    fallback: 10_000,
  }),
  ...REGISTRY_VARIABLES,
  ...STORE_VARIABLES,
  postgresConnections: whole('PALIMPSEST_POSTGRES_CONNECTIONS', {
    min: 2,
    max: 500,
    decides: 'connections of this process at most',
    fallback: 10,
  }),
  idleInTransactionMs: whole('PALIMPSEST_POSTGRES_IDLE_IN_TRANSACTION_MS', {
    min: 0,
    max: 3_600_000,
    unit: 'milliseconds',
    decides:
      'time after which Postgres ends a transaction that stands idle: one of a process that hangs, whose locks others wait for; 0 = never',
    fallback: 10_000,
  }),
  strategy: text('PALIMPSEST_STRATEGY', {
    wants: 'a preset of strategies/ or a .yaml file',
    decides: 'strategy of the first generation; later ones are made by a replay, not by this',
    fallback: 'default',
  }),
  logLevel: choice('PALIMPSEST_LOG_LEVEL', ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    decides: 'least level of log lines on stdout',
    fallback: 'info',
  }),
  drainSeconds: whole('PALIMPSEST_DRAIN_SECONDS', {
    min: 1,
    max: 3600,
    unit: 'seconds',
    decides:
      'time between SIGTERM and an end with exit code 1; keep it below the grace period of what sends it',
    fallback: 25,
  }),
  operationsHost: text('PALIMPSEST_OPERATIONS_HOST', {
    wants: 'an address',
    decides: 'interface of /metrics, /healthz and /readyz; 0.0.0.0 in a container',
    fallback: '127.0.0.1',
  }),
  operationsPort: port('PALIMPSEST_OPERATIONS_PORT', { decides: 'their port', fallback: 9464 }),
};

export const BATCH_VARIABLES = {
  batchRecords: whole('PALIMPSEST_BATCH_RECORDS', {
    min: 1,
    max: 100_000,
    decides: 'records of one batch, so of one transaction, at most',
    fallback: 2000,
  }),
};

/** Where large originals lie; truncator and context-api must be given the same. */
export const OBJECT_VARIABLES = {
  objectsUrl: url('PALIMPSEST_OBJECTS_URL', {
    protocols: ['file', 's3'],
    example: 's3://bucket/prefix?region=eu-central-1&endpoint=http://minio:9000',
    decides: 'store of originals of 1 MiB and more, or `file:///folder`; without it they stay in Postgres',
    fallback: null,
  }),
  objectsKeyId: text('PALIMPSEST_OBJECTS_KEY_ID', {
    wants: 'a key id',
    decides: 'access key of that bucket',
    fallback: null,
  }),
  objectsSecret: text('PALIMPSEST_OBJECTS_SECRET', {
    wants: 'a secret',
    decides: 'its secret',
    isSecret: true,
    fallback: null,
  }),
};

export const CLICKHOUSE_VARIABLES = {
  clickhouseUrl: url('PALIMPSEST_CLICKHOUSE_URL', {
    protocols: HTTP,
    example: 'http://clickhouse:8123',
    decides: 'ClickHouse server of the ledger',
    fallback: null,
  }),
  clickhouseUser: text('PALIMPSEST_CLICKHOUSE_USER', {
    wants: 'a name',
    decides: 'user there',
    fallback: 'default',
  }),
  clickhousePassword: text('PALIMPSEST_CLICKHOUSE_PASSWORD', {
    wants: 'a password',
    decides: 'its password',
    isSecret: true,
    fallback: '',
  }),
  clickhouseDatabase: text('PALIMPSEST_CLICKHOUSE_DATABASE', {
    wants: 'a name',
    decides: 'database there',
    fallback: 'palimpsest',
  }),
};

const ledgerToken = text('PALIMPSEST_LEDGER_TOKEN', {
  wants: 'a secret of 16 characters or more',
  decides: 'what context-api shows to read the embedded ledger of metrics-sink',
  isSecret: true,
  fallback: null,
});

/** Of metrics-sink where its ledger is embedded. */
export const EMBEDDED_LEDGER_VARIABLES = {
  clickhouseFolder: text('PALIMPSEST_CLICKHOUSE_FOLDER', {
    wants: 'a folder',
    decides: 'ledger in this process, on a folder of its own, instead of a server',
    fallback: null,
  }),
  ledgerPort: port('PALIMPSEST_LEDGER_PORT', {
    decides: 'loopback port where that ledger answers read-only queries',
    fallback: 0,
  }),
  ledgerToken,
};

export const API_VARIABLES = {
  host: text('PALIMPSEST_HOST', {
    wants: 'an address',
    decides: 'interface of the API; 0.0.0.0 in a container',
    fallback: '127.0.0.1',
  }),
  port: port('PALIMPSEST_PORT', { decides: 'port of the API', fallback: 8787 }),
  requestsPerMinute: whole('PALIMPSEST_REQUESTS_PER_MINUTE', {
    min: 1,
    max: 100_000_000,
    decides: 'requests of one key per minute and process',
    fallback: 6000,
  }),
  ledgerUrl: url('PALIMPSEST_LEDGER_URL', {
    protocols: HTTP,
    example: 'http://127.0.0.1:9000',
    decides: 'where the embedded ledger of metrics-sink answers, instead of a ClickHouse server',
    fallback: null,
  }),
  ledgerToken,
};
