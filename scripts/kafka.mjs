// `npm run kafka:up | kafka:down | kafka:status`: Apache Kafka for development; its data under .palimpsest/kafka, or where
// --folder says.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../deploy/kafka-dev/cluster.mjs';
import { kafkaFolder, missingTool } from '../deploy/kafka-dev/jars.mjs';
import { waitUntilReady } from '../deploy/kafka-dev/readiness.mjs';

const STOP_WITHIN_MS = 20_000;
const usage =
  'Usage: node scripts/kafka.mjs up [--brokers 1|3] | down [--delete] | status   [--folder <path>]\n';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    brokers: { type: 'string' },
    delete: { type: 'boolean', default: false },
    folder: { type: 'string', default: kafkaFolder },
  },
});
const dataFolder = resolve(values.folder);
const stateFile = join(dataFolder, 'running.json');
const commands = { up, down, status };
const command = commands[positionals[0]];
if (command === undefined || positionals.length > 1) fail(usage);
await command();

/** Prints the addresses. A cluster that runs already is left as it is. */
async function up() {
  const running = readRunning();
  if (running !== undefined && running.pids.every(isAlive)) {
    if (values.brokers !== undefined && Number(values.brokers) !== running.bootstrap.length) {
      fail(
        `A cluster of ${running.bootstrap.length} runs already: stop it first with "npm run kafka:down".\n`,
      );
    }
    await waitUntilReady({
      bootstrap: running.bootstrap,
      brokers: running.bootstrap.length,
      withinMs: 60_000,
    });
    return print(running);
  }
  const brokers = Number(values.brokers ?? 1);
  if (brokers !== 1 && brokers !== 3) fail(usage);
  const reason = missingTool();
  if (reason !== undefined) fail(`Kafka cannot be started: ${reason}\n`);
  // Some of several may be left over.
  await end(running?.pids ?? []);
  process.stderr.write('Starting Kafka (the first time its jars are fetched, 54 MB)…\n');
  const folder = join(dataFolder, `cluster-${brokers}`);
  const { bootstrap, pids } = await startCluster({ folder, brokers, detached: true });
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(stateFile, JSON.stringify({ bootstrap, pids, folder }));
  print({ bootstrap });
}

/** Stops the cluster and keeps its data, unless --delete. */
async function down() {
  const running = readRunning();
  await end(running?.pids ?? []);
  rmSync(stateFile, { force: true });
  if (values.delete) {
    for (const brokers of [1, 3])
      rmSync(join(dataFolder, `cluster-${brokers}`), { recursive: true, force: true });
  }
  process.stderr.write(running === undefined ? 'Kafka was not running.\n' : 'Kafka is stopped.\n');
}

/** Exit code 0 when all brokers run, 1 otherwise. */
function status() {
  const running = readRunning();
  if (running === undefined) fail('Kafka is not running.\n');
  const dead = running.pids.filter((pid) => !isAlive(pid)).length;
  if (dead > 0)
    fail(`${dead} of ${running.pids.length} brokers have ended: see broker.log under ${running.folder}.\n`);
  print(running);
}

function print({ bootstrap }) {
  process.stdout.write(`${bootstrap.join(',')}\n`);
}

function fail(message) {
  process.stderr.write(message);
  process.exit(1);
}

function readRunning() {
  return existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : undefined;
}

/** False too for a process that was given the number of a broker long gone. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('kafka.Kafka');
}

async function end(pids) {
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (pids.some(isAlive) && Date.now() < deadline) await sleep(100);
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
}
