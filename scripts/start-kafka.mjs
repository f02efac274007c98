// `npm run start:kafka`: broker, Postgres, registry and every service as a process of its own, then the demonstration of
// `npm start`. `-- --once` ends after it. Data lies in .palimpsest/kafka-stack and the broker's in .palimpsest/kafka, or all
// of it where `--folder` says.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path, { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root, setup } from './setup.mjs';

const { values } = parseArgs({
  options: { once: { type: 'boolean', default: false }, folder: { type: 'string' } },
});
const SERVICES = ['truncator', 'summarizer', 'fact-extractor', 'metrics-sink', 'context-api'];
const READY_WITHIN_MS = 90_000;
const folder = path.resolve(values.folder ?? join(root, '.palimpsest', 'kafka-stack'));
const brokerFolder = values.folder === undefined ? [] : ['--folder', join(folder, 'kafka')];

setup();
const { createKafkaLog } = await built('packages/log-kafka');
const { migrate, createKey, liveGeneration } = await built('packages/views');
const { startPostgres } = await built('packages/postgres-embedded');
const { createPostgresRegistry, startRegistryServer } = await built('packages/schema-registry');
const { applyTopics, declaredTopics, KAFKA_VARIABLES, measureLags, readVariables, registerSchemas } =
  await built('packages/service-host');
const { demonstrate, importSamples } = await built('packages/cli', 'commands/demonstration.js');
const { createOutput } = await built('packages/cli', 'output.js');
const { default: pg } = await import('pg');

const output = createOutput(false);
const closers = [];
const children = [];
const told = untilSignal();
let code = 0;
try {
  await Promise.race([main(), told.then(() => Promise.reject(new Interrupted()))]);
} catch (error) {
  if (!(error instanceof Interrupted)) {
    process.stderr.write(`${reasonOf(error)}\n`);
    code = 1;
  }
}
output.progress('Stopping…');
for (const close of closers.toReversed()) {
  await close().catch((error) => process.stderr.write(`While stopping: ${error.message}\n`));
}
process.exit(code);

async function main() {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const brokers = startBroker();
  output.progress('Starting Postgres and the schema registry…');
  const postgres = await startPostgres({ dataFolder: join(folder, 'postgres') });
  closers.push(() => postgres.stop());
  const pool = new pg.Pool({ connectionString: postgres.url(), max: 8 });
  pool.on('error', () => undefined);
  closers.push(() => pool.end());
  await migrate(pool);
  const registry = await startRegistryServer({ registry: createPostgresRegistry({ pool }) });
  closers.push(() => registry.stop());
  await registerSchemas(registry.url);
  const kafka = readVariables({ PALIMPSEST_KAFKA_BROKERS: brokers }, KAFKA_VARIABLES);
  const { left } = await applyTopics(kafka, declaredTopics(1));
  for (const { topic, says } of left) output.progress(`${topic} ${says}`);

  const stack = await startServices({ brokers, postgresUrl: postgres.url(), registryUrl: registry.url });
  const log = await createKafkaLog({ brokers: brokers.split(','), clientId: 'start-kafka' });
  closers.push(() => log.close());
  const isNew = !existsSync(join(folder, 'key'));
  const shown = {
    url: stack.api,
    key: await ownKey(pool),
    pool,
    settled: () => Promise.race([settled(pool, log), stack.died]),
  };
  const { rowCount } = await pool.query('select 1 from palimpsest.accepted_events limit 1');
  const imported = rowCount === 0 ? await importSamples(shown, output) : null;
  await shown.settled();
  await demonstrate(shown, imported, output);
  if (values.once) return;
  output.line(
    `\nThe API serves at ${shown.url}; logs of the processes are in ${join(folder, 'logs')}. Ctrl-C stops all.`,
  );
  for (const [name, url] of stack.operations) output.line(`  ${name.padEnd(15)} ${url}/metrics`);
  output.line(`API key${isNew ? ' (made now)' : ''}, kept in ${join(folder, 'key')}:\n  ${shown.key}`);
  await stack.died;
}

/** The addresses. A broker that runs already is used, and left running at the end. */
function startBroker() {
  const wasRunning = kafkaScript('status', 'ignore').status === 0;
  const up = kafkaScript('up', 'inherit');
  if (up.status !== 0) {
    throw new Error(
      'Without a broker there is no Kafka stack: mend what is said above, or run "npm start", which needs none.',
    );
  }
  if (!wasRunning) closers.push(async () => void kafkaScript('down', 'ignore'));
  return up.stdout.trim();
}

function kafkaScript(command, stderr) {
  return spawnSync(process.execPath, [join(root, 'scripts', 'kafka.mjs'), command, ...brokerFolder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
  });
}

async function startServices({ brokers, postgresUrl, registryUrl }) {
  output.progress(`Starting ${SERVICES.length} services…`);
  const token = randomBytes(24).toString('hex');
  const environment = {
    PALIMPSEST_KAFKA_BROKERS: brokers,
    PALIMPSEST_POSTGRES_URL: postgresUrl,
    PALIMPSEST_REGISTRY_URL: registryUrl,
    PALIMPSEST_OPERATIONS_PORT: '0',
  };
  let fail;
  const died = new Promise((_, reject) => (fail = reject));
  died.catch(() => undefined);
  const start = (name, more = {}) => startService(name, { ...environment, ...more }, fail);
  const sink = start('metrics-sink', {
    PALIMPSEST_CLICKHOUSE_FOLDER: join(folder, 'clickhouse'),
    PALIMPSEST_LEDGER_TOKEN: token,
  });
  const model = own('PALIMPSEST_MODEL_URL', 'PALIMPSEST_MODEL', 'PALIMPSEST_MODEL_KEY');
  const others = [start('truncator'), start('summarizer', model), start('fact-extractor', model)];
  const api = start('context-api', {
    PALIMPSEST_LEDGER_URL: await Promise.race([sink.served('ledger'), died]),
    PALIMPSEST_LEDGER_TOKEN: token,
    PALIMPSEST_REQUESTS_PER_MINUTE: '600000',
    PALIMPSEST_PORT: values.once ? '0' : '8787',
    ...(values.once ? {} : own('PALIMPSEST_PORT')),
  });
  const operations = new Map();
  for (const service of [sink, ...others, api]) {
    const url = await Promise.race([service.served('operations'), died]);
    operations.set(service.name, url);
    await Promise.race([untilReady(service.name, url), died]);
  }
  return { api: await api.served('api'), operations, died };
}

/** A process of its own, in a group of its own: Ctrl-C reaches it through us only. It ends when we are gone. */
function startService(name, environment, fail) {
  const logFile = join(folder, 'logs', `${name}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, [join(root, 'services', name, 'dist', 'main.js')], {
    cwd: root,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...inherited(), ...environment },
  });
  closeSync(log);
  const urls = new Map();
  const waiting = new Map();
  child.on('message', ({ serves, url }) => {
    urls.set(serves, url);
    waiting.get(serves)?.(url);
  });
  const ended = new Promise((resolve) =>
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal)),
  );
  let stopping = false;
  void ended.then((how) => {
    if (stopping) return;
    const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    fail(new Error(`${name} ended with ${how}. The end of ${logFile}:\n${tail}`));
  });
  const service = {
    name,
    served: (what) =>
      new Promise((resolve) => (urls.has(what) ? resolve(urls.get(what)) : waiting.set(what, resolve))),
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
  children.push(service);
  if (children.length === 1) closers.push(() => Promise.all(children.map((one) => one.stop())));
  return service;
}

async function untilReady(name, url) {
  let said = 'nothing';
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await delay(50)) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.ok) return;
    said = (await response?.text()) ?? said;
  }
  throw new Error(`${name} is not ready after ${READY_WITHIN_MS / 1000} s; it says: ${said}`);
}

/** Jobs append events and events make jobs: idle is when a look at both, twice in a row, finds nothing. */
async function settled(pool, log) {
  const { generation } = await liveGeneration(pool);
  const messages = ['chat.messages'];
  const consumers = [
    { name: 'truncator', generation, topics: messages },
    ...['summarizer', 'fact-extractor'].flatMap((name) => [
      { name, generation, topics: messages },
      { name: `${name}.projection`, generation, topics: ['context.derivations'] },
    ]),
    { name: 'metrics-sink', generation: 0, topics: ['agent.steps', 'agent.tasks'] },
  ];
  for (let quiet = 0; quiet < 2; await delay(100)) {
    const lags = await measureLags(pool, log, consumers);
    const jobs = await pool.query('select 1 from graphile_worker.jobs where attempts < max_attempts limit 1');
    quiet = lags.every(({ lag }) => lag === 0n) && jobs.rowCount === 0 ? quiet + 1 : 0;
  }
}

/** Made at the first start; kept readable by its owner only. */
async function ownKey(pool) {
  const file = join(folder, 'key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const { secret } = await createKey(pool, { tenant: 'default', scopes: ['ingest', 'read', 'admin'] });
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/** Ours without settings of another deployment. */
function inherited() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_')));
}

function own(...names) {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function built(folderName, file = 'index.js') {
  return import(pathToFileURL(join(root, folderName, 'dist', file)).href);
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends this process at once, and the services with it. */
function untilSignal() {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(130);
        resolve();
      });
    }
  });
}

function reasonOf(error) {
  return error.cause === undefined ? error.message : `${error.message}\n  because: ${reasonOf(error.cause)}`;
}

function Interrupted() {}
