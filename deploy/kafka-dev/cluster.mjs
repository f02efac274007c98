// Apache Kafka as plain child processes, for development and tests: KRaft, combined roles, loopback only, no Docker.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fetchJars } from './jars.mjs';
import { waitUntilReady } from './readiness.mjs';
import { secureListener } from './secure-listener.mjs';

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 20_000;

/**
 * Starts a cluster in `folder`, with the data it holds, and resolves when clients can use it (metadata and a group
 * coordinator, not just an open port).
 */
export async function startCluster({
  folder,
  brokers = 1,
  detached = false,
  jvm = [],
  settings = {},
  secure,
}) {
  const jars = await fetchJars();
  mkdirSync(folder, { recursive: true });
  const ports = await freePorts(3 * brokers);
  const nodes = Array.from({ length: brokers }, (_, i) => ({
    id: i + 1,
    port: ports[3 * i],
    controllerPort: ports[3 * i + 1],
    securePort: ports[3 * i + 2],
    folder: join(folder, `node-${i + 1}`),
  }));
  const security = secure === undefined ? undefined : secureListener(folder, secure.users);
  const clusterId = readClusterId(folder);
  for (const node of nodes) {
    writeProperties(node, nodes, { ...security?.settings(node), ...settings });
    format(node, jars, clusterId, security?.formatFlags ?? []);
  }
  const launch = (node) => {
    const log = openSync(join(node.folder, 'broker.log'), 'a');
    const child = spawn('java', [...jvmFlags(jars, jvm), 'kafka.Kafka', propertiesFile(node)], {
      detached,
      stdio: ['ignore', log, log],
    });
    child.on('error', () => {});
    if (detached) child.unref();
    return child;
  };
  const children = new Map(nodes.map((node) => [node.id, launch(node)]));
  const bootstrap = nodes.map((node) => `127.0.0.1:${node.port}`);
  const ready = () =>
    waitUntilReady({
      bootstrap,
      brokers,
      withinMs: READY_WITHIN_MS,
      failed: () => {
        const dead = nodes.find((node) => hasEnded(children.get(node.id)));
        return dead === undefined ? undefined : `Broker ${dead.id} ended at start:\n${logTail(dead)}`;
      },
    });
  const stop = async (signal = 'SIGTERM') => {
    await Promise.all([...children.values()].map((child) => end(child, signal)));
  };
  try {
    await ready();
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  return {
    bootstrap,
    secure:
      security === undefined
        ? undefined
        : { bootstrap: nodes.map((node) => `127.0.0.1:${node.securePort}`), caFile: security.caFile },
    pids: nodes.map((node) => children.get(node.id).pid),
    ready,
    stop,
    /** Ends one broker as `kill -9` would. */
    async kill(id) {
      await end(children.get(id), 'SIGKILL');
    },
    /** Starts a killed broker again on its port and data; `ready` tells when clients can use it. */
    restart(id) {
      children.set(id, launch(nodes.find((node) => node.id === id)));
    },
  };
}

function writeProperties(node, nodes, settings) {
  mkdirSync(node.folder, { recursive: true });
  const copies = Math.min(nodes.length, 3);
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': nodes
      .map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`)
      .join(','),
    listeners: `PLAINTEXT://127.0.0.1:${node.port},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(node.folder, 'data').replaceAll('\\', '/'),
    'auto.create.topics.enable': false,
    'default.replication.factor': copies,
    'min.insync.replicas': Math.max(1, copies - 1),
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': Math.max(1, copies - 1),
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': copies,
    // A group starts with its first member: waiting for more is of use to large groups only.
    'group.initial.rebalance.delay.ms': 0,
    // Tests stop members dead; the default minimum of 6 s would make each of them wait that long.
    'group.min.session.timeout.ms': 1000,
    'num.network.threads': 2,
    'num.io.threads': 2,
    // The default would take a quarter of the heap.
    'log.cleaner.dedupe.buffer.size': 16_000_000,
    ...settings,
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(propertiesFile(node), lines.join(''));
}

function format(node, jars, clusterId, flags) {
  if (existsSync(join(node.folder, 'data', 'meta.properties'))) return;
  const result = spawnSync(
    'java',
    [
      ...jvmFlags(jars, ['-XX:TieredStopAtLevel=1']),
      'kafka.tools.StorageTool',
      'format',
      // One word: an id may begin with a dash.
      `--cluster-id=${clusterId}`,
      '-c',
      propertiesFile(node),
      ...flags,
    ],
    { encoding: 'utf8' },
  );
  if (result.status === 0) return;
  throw new Error(
    `Kafka's storage could not be prepared in ${node.folder}:\n${result.stdout}${result.stderr}`,
  );
}

function readClusterId(folder) {
  const file = join(folder, 'cluster-id');
  if (!existsSync(file)) writeFileSync(file, randomBytes(16).toString('base64url'));
  return readFileSync(file, 'utf8');
}

function jvmFlags(jars, extra) {
  // Serial GC and half a gigabyte: a development broker shares its machine with everything else.
  const base = ['-Xms64m', '-Xmx512m', '-XX:+UseSerialGC', '-Djava.awt.headless=true'];
  return [...base, '-Dorg.apache.logging.log4j.level=WARN', ...extra, '-cp', `${jars}/*${delimiter}`];
}

const propertiesFile = (node) => join(node.folder, 'server.properties');
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

function logTail(node) {
  return readFileSync(join(node.folder, 'broker.log'), 'utf8').slice(-3000);
}

async function end(child, signal) {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

/** All are held open until each is known, so that none is given out twice. */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
