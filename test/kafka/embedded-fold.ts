import { type EventCodec, TOPICS } from '@palimpsest/events';
import type { NewRecord } from '@palimpsest/log';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { strategyFromCanonical } from '@palimpsest/strategy';
import { createTruncator } from '@palimpsest/truncator';
import { ensureLiveGeneration, liveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { vi } from 'vitest';
import { freshDatabase } from '../harness/postgres.js';
import type { RunningStack } from '../harness/running-stack.js';
import { type StoreSnapshot, storeSnapshot } from '../harness/store-snapshot.js';

type Conversations = StoreSnapshot['conversations'];

/**
 * What differs between the live generation of `pool` and the same records folded by one truncator over the embedded
 * log: a line per conversation, none when they are equal byte for byte.
 */
export async function differencesToEmbedded(
  pool: pg.Pool,
  records: readonly NewRecord[],
  codec: EventCodec,
  partitions: number,
): Promise<string[]> {
  const wanted = await embeddedFold(pool, records, codec, partitions);
  const found = await conversationsOf(pool);
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...names].flatMap((name) => firstDifference(name, wanted[name], found[name]) ?? []);
}

async function embeddedFold(
  live: pg.Pool,
  records: readonly NewRecord[],
  codec: EventCodec,
  partitions: number,
): Promise<Conversations> {
  const other = await freshDatabase({ migrated: true });
  const log = await createEmbeddedLog({ pool: other.pool, listen: other.url });
  try {
    await log.createTopic(TOPICS.messages, partitions);
    for (let at = 0; at < records.length; at += 500) {
      await log.append(TOPICS.messages, records.slice(at, at + 500));
    }
    const found = await liveGeneration(live);
    if (found === null) throw new Error('There is no live generation to compare with.');
    const { strategyName: name, strategyVersion: version, strategy: canonical } = found;
    const { generation } = await ensureLiveGeneration(other.pool, { name, version, canonical });
    const truncator = await createTruncator({
      log,
      pool: other.pool,
      decode: (record) => codec.decode(record.value as Buffer, record.headers),
      generation,
      strategy: strategyFromCanonical(canonical),
      metrics: createMetrics(),
      logger: createLogger({ name: 'embedded', level: 'silent' }),
    });
    await vi.waitUntil(async () => (await truncator.lag()) === 0n, { timeout: 60_000, interval: 25 });
    await truncator.stop();
    return await conversationsOf(other.pool);
  } finally {
    await log.close();
    await other.drop();
  }
}

async function conversationsOf(pool: pg.Pool): Promise<Conversations> {
  const rows = async (sql: string, values: unknown[] = []): Promise<object[]> =>
    (await pool.query<object>(sql, values)).rows;
  const views = { rows, bill: async () => [] } as unknown as RunningStack;
  return (await storeSnapshot(views)).conversations;
}

/** Where two conversations part, with what stands there: rows of all their tables make one long text. */
function firstDifference(name: string, wanted: unknown, found: unknown): string | null {
  const [one, other] = [JSON.stringify(wanted) ?? 'nothing', JSON.stringify(found) ?? 'nothing'];
  if (one === other) return null;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 150), at + 150);
  return `${name} at ${at}: wanted ${around(one)}, found ${around(other)}`;
}
