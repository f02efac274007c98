import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOPICS } from '@palimpsest/events';
import { migrate } from '@palimpsest/views';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../packages/postgres-embedded/src/index.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { describeWithKafka } from './broker.js';
import { type ImportCase, startImport } from './import-case.js';
import { startTemporaryCluster, type TemporaryCluster } from './temporary-cluster.js';

const seed = Number(process.env['IMPORT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describeWithKafka(`an import on three brokers (IMPORT_SEED=${seed})`, () => {
  let cluster: TemporaryCluster;
  let database: TestDatabase;
  let running: ImportCase | undefined;

  beforeAll(async () => {
    [cluster, database] = await Promise.all([
      startTemporaryCluster({ brokers: 3 }),
      freshDatabase({ migrated: true }),
    ]);
  });
  afterAll(async () => {
    await running?.close();
    await cluster?.remove();
    await database?.drop();
  });

  it('loses and doubles nothing when the leader of a busy partition is killed', async () => {
    running = await startImport(cluster.bootstrap, database.pool, 3, seed);
    await running.everyPartitionMoves();
    const leader = await leaderOf(cluster.bootstrap, 0);
    const before = running.load.records.length;
    await cluster.kill(leader);
    await timed('a leader was killed', running.everyPartitionMoves());
    expect(running.load.records.length).toBeGreaterThan(before);
    expect(await leaderOf(cluster.bootstrap.toSpliced(leader - 1, 1), 0)).not.toBe(leader);
    await running.endsAsEmbedded();
  }, 120_000);
});

describeWithKafka(`an import on one broker and a Postgres of its own (IMPORT_SEED=${seed})`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-import-'));
  let cluster: TemporaryCluster;
  let postgres: RunningPostgres;
  let pool: pg.Pool;
  let running: ImportCase | undefined;

  beforeAll(async () => {
    [cluster, postgres] = await Promise.all([startTemporaryCluster(), startPostgres({ dataFolder: folder })]);
    pool = new pg.Pool({ connectionString: postgres.url(), max: 10 });
    pool.on('error', () => undefined);
    await migrate(pool);
  });
  afterAll(async () => {
    await running?.close();
    await pool?.end();
    await postgres?.stop();
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends with the same state when first the broker is killed and restarted, then Postgres', async () => {
    running = await startImport(cluster.bootstrap, pool, 1, seed);
    await running.everyPartitionMoves();
    await cluster.kill(1);
    cluster.restart(1);
    await timed('the only broker was killed and restarted', running.everyPartitionMoves());

    const begun = running.load.records.length;
    await stopAtOnce(path.join(folder, 'cluster'), postgres);
    // The log goes on without the views: that is how there is something to catch up with.
    await untilMore(running, begun);
    postgres = await startPostgres({ dataFolder: folder, port: postgres.port });
    await timed('Postgres was up again', running.everyPartitionMoves());
    await running.endsAsEmbedded();
  }, 120_000);
});

async function timed(after: string, moves: Promise<void>): Promise<void> {
  const begun = performance.now();
  await moves;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  process.stderr.write(`import-faults: all partitions moved ${seconds} s after ${after}\n`);
}

async function leaderOf(bootstrap: readonly string[], partition: number): Promise<number> {
  const kafka = new Kafka({ brokers: [...bootstrap], clientId: 'leader', logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPICS.messages] });
    const found = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition);
    if (found === undefined) throw new Error(`${TOPICS.messages} has no partition ${partition}.`);
    return found.leader;
  } finally {
    await admin.disconnect();
  }
}

/** Postgres' own "immediate" shutdown: no checkpoint, recovery at the next start, connections cut. */
async function stopAtOnce(data: string, server: RunningPostgres): Promise<void> {
  const pid = Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  await server.stop();
}

async function untilMore({ load, truncator }: ImportCase, begun: number): Promise<void> {
  const isSo = (): boolean => load.records.length > begun + 100 && !truncator.ready();
  await vi.waitUntil(isSo, { timeout: 30_000, interval: 10 });
}
