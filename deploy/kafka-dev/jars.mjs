// The broker's jars: fetched once by Maven from the pinned pom, then kept under .palimpsest/kafka.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pom = join(here, 'pom.xml');

/** Where jars and the `kafka:up` cluster lie. */
export const kafkaFolder = join(dirname(dirname(here)), '.palimpsest', 'kafka');

/** The folder of the jars of this pom: another pom gets another folder, so a stale set is never mixed with a new one. */
function jarFolder() {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(kafkaFolder, `jars-${version}`);
}

/** Why no broker can be had on this machine, in one sentence; undefined when one can. */
export function missingTool() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.error !== undefined) return 'There is no "java" on the PATH: install a Java runtime, 17 or newer.';
  const version = /version "(\d+)/.exec(`${java.stderr}${java.stdout}`)?.[1];
  if (Number(version) < 17) return `Kafka 4 needs Java 17 or newer, "java" is ${version}.`;
  if (existsSync(jarFolder())) return undefined;
  const maven = spawnSync('mvn', ['-version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  if (maven.error !== undefined || maven.status !== 0) {
    return 'There is no "mvn" on the PATH to fetch the broker with: install Maven, 3.8 or newer.';
  }
  return undefined;
}

/**
 * The folder of the jars, fetched first where they are missing (54 MB; Maven checks their checksums and fails on a
 * wrong one). Two that fetch at once do not disturb each other: the first to finish wins.
 */
export async function fetchJars() {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  mkdirSync(kafkaFolder, { recursive: true });
  const partial = mkdtempSync(join(kafkaFolder, 'fetching-'));
  try {
    await runMaven([
      '--batch-mode',
      '--quiet',
      '--strict-checksums',
      '--file',
      pom,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${partial}`,
    ]);
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
          `Maven could not fetch the jars of deploy/kafka-dev/pom.xml (exit ${code}):\n${output.slice(-2000)}`,
        ),
      );
    });
  });
}
