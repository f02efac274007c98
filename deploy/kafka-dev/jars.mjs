// Jars: fetched once by Maven from a pinned pom, then kept under .palimpsest/kafka.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pom = join(here, 'pom.xml');

/** Where jars and the `kafka:up` cluster lie. */
export const kafkaFolder = join(dirname(dirname(here)), '.palimpsest', 'kafka');

/** The folder of the jars of a pom: another pom gets another folder, so a stale set is never mixed with a new one. */
function jarFolder(name, file) {
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
  return join(kafkaFolder, `${name}-${version}`);
}

/** Why no broker can be had on this machine, in one sentence; undefined when one can. */
export function missingTool() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.error !== undefined) return 'There is no "java" on the PATH: install a Java runtime, 17 or newer.';
  const version = /version "(\d+)/.exec(`${java.stderr}${java.stdout}`)?.[1];
  if (Number(version) < 17) return `Kafka 4 needs Java 17 or newer, "java" is ${version}.`;
  if (existsSync(jarFolder('jars', pom))) return undefined;
  const maven = spawnSync('mvn', ['-version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  if (maven.error !== undefined || maven.status !== 0) {
    return 'There is no "mvn" on the PATH to fetch the broker with: install Maven, 3.8 or newer.';
  }
  return undefined;
}

/** The folder of the broker's jars, fetched first where they are missing (54 MB). */
export function fetchJars() {
  return fetchPom('jars', pom);
}

/**
 * The folder of what a pom names, fetched first where it is missing: Maven checks checksums and fails on a wrong one.
 * `prepare` may change it before it is kept. Two that fetch at once do not disturb each other: the first wins.
 */
export async function fetchPom(name, file, prepare = () => undefined) {
  const folder = jarFolder(name, file);
  if (existsSync(folder)) return folder;
  mkdirSync(kafkaFolder, { recursive: true });
  const partial = mkdtempSync(join(kafkaFolder, 'fetching-'));
  try {
    await runMaven([
      '--batch-mode',
      '--quiet',
      '--strict-checksums',
      '--file',
      file,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${partial}`,
    ]);
    await prepare(partial);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function runMaven(args) {
  return new Promise((resolve, reject) => {
    const maven = spawn('mvn', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [maven.stdout, maven.stderr]) stream.on('data', (chunk) => (output += chunk));
    maven.on('error', reject);
    maven.on('exit', (code) => {
      if (code === 0) return resolve();
      reject(
        new Error(
          `Maven could not fetch the jars of a pom of deploy/kafka-dev (exit ${code}):\n${output.slice(-2000)}`,
        ),
      );
    });
  });
}
