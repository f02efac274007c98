// Kafka Connect, standalone, with Debezium's JDBC sink as its only plugin: for comparison, not part of any deployment.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPom } from './jars.mjs';

const pom = join(dirname(fileURLToPath(import.meta.url)), 'connect', 'pom.xml');
const STOP_WITHIN_MS = 20_000;

/** Starts a worker with one connector; both take Connect's own property names. The worker's folder goes with it. */
export async function startConnect({ bootstrap, worker, connector }) {
  const jars = await fetchPom('connect', pom, unpackPlugin);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-connect-'));
  const workerFile = writeProperties(join(folder, 'worker.properties'), {
    'bootstrap.servers': bootstrap.join(','),
    'plugin.path': join(jars, 'plugin'),
    'plugin.discovery': 'only_scan',
    'offset.storage.file.filename': join(folder, 'offsets'),
    listeners: 'http://127.0.0.1:0',
    ...worker,
  });
  const connectorFile = writeProperties(join(folder, 'connector.properties'), connector);
  const log = openSync(join(folder, 'connect.log'), 'a');
  const flags = ['-Xms256m', '-Xmx1g', '-XX:+UseSerialGC', '-cp', `${jars}/*${delimiter}`];
  const main = 'org.apache.kafka.connect.cli.ConnectStandalone';
  const child = spawn('java', [...flags, main, workerFile, connectorFile], { stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.on('error', () => undefined);
  return {
    pid: child.pid,
    ended,
    log: () => readFileSync(join(folder, 'connect.log'), 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function unpackPlugin(folder) {
  const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz'));
  const target = join(folder, 'plugin');
  mkdirSync(target);
  const { status, stderr } = spawnSync('tar', ['-xzf', join(folder, archive), '-C', target], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The plugin archive ${archive} could not be unpacked: ${stderr}`);
  rmSync(join(folder, archive));
}

function writeProperties(file, properties) {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''));
  return file;
}
