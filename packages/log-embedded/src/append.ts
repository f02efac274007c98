import type { Appended, NewRecord } from '@palimpsest/log';
import { partitionOf } from '@palimpsest/log';
import type pg from 'pg';
import { withTransaction } from './borrow-client.js';
import { BYTEA, encodeArray, TEXT } from './binary-array.js';
import type { TopicEntry } from './topic-catalog.js';

/**
 * Appends in one transaction. Measured with 900-byte records on 2 cores: this statement 35k records/s in calls of
 * 1000, 15k/s in calls of 10, 1.3k/s one by one; multi-row VALUES the same, at one named statement per size.
 */
export async function appendRecords(
  pool: pg.Pool,
  schema: string,
  topic: string,
  entry: TopicEntry,
  records: readonly NewRecord[],
): Promise<Appended[]> {
  const places = new Map<number, number[]>();
  for (const [index, record] of records.entries()) {
    const partition = partitionOf(record.key, entry.partitions);
    const indexes = places.get(partition);
    if (indexes === undefined) places.set(partition, [index]);
    else indexes.push(index);
  }
  // By ascending partition, so that two appends can never wait for each other's counters in a circle.
  const parts = [...places].toSorted(([a], [b]) => a - b);
  const appended: Appended[] = Array.from({ length: records.length });
  const appendParts = async (client: pg.Pool | pg.PoolClient): Promise<void> => {
    for (const [partition, indexes] of parts) {
      const mine = indexes.map((index) => records[index] as NewRecord);
      const base = await appendPart(client, schema, topic, entry.id, partition, mine);
      for (const [n, index] of indexes.entries()) appended[index] = { partition, offset: base + BigInt(n) };
    }
  };
  if (parts.length === 1) await appendParts(pool);
  else await withTransaction(pool, appendParts);
  return appended;
}

/** Takes the counter's row lock, places the records behind it, and wakes whoever listens when it commits. */
async function appendPart(
  client: pg.Pool | pg.PoolClient,
  schema: string,
  topic: string,
  topicId: number,
  partition: number,
  records: readonly NewRecord[],
): Promise<bigint> {
  const result = await client.query<{ base: string }>({
    name: `${schema}.append`,
    text: `with place as (
             update ${schema}.partitions set next_offset = next_offset + $3
             where topic_id = $1::integer and partition = $2::integer
             returning next_offset - $3 as base
           ), stored as (
             insert into ${schema}.records (topic_id, partition, "offset", key, value, headers, taken_at)
             select $1, $2, base + n - 1, key, value, headers,
                    (extract(epoch from clock_timestamp()) * 1000)::bigint
             from place, unnest($4::bytea[], $5::bytea[], $6::text[]) with ordinality as r(key, value, headers, n)
           )
           select base, pg_notify($7, $1 || '/' || $2) from place`,
    values: [
      topicId,
      partition,
      records.length,
      encodeArray(
        BYTEA,
        records.map(({ key }) => (key === null ? null : Buffer.from(key, 'utf8'))),
      ),
      encodeArray(
        BYTEA,
        records.map(({ value }) => value),
      ),
      encodeArray(
        TEXT,
        records.map(({ headers }) => encodeHeaders(headers)),
      ),
      schema,
    ],
  });
  const base = result.rows[0]?.base;
  if (base === undefined)
    throw new Error(`Partition ${topic}[${partition}] has no counter: restore the log's backup.`);
  return BigInt(base);
}

function encodeHeaders(headers: NewRecord['headers']): Buffer | null {
  if (headers === undefined) return null;
  // JSON escapes NUL and lone surrogates, which Postgres text cannot hold.
  const json = JSON.stringify(headers);
  return json === '{}' ? null : Buffer.from(json, 'utf8');
}
