import { type LogRecord, OffsetOutOfRangeError, type PartitionBounds } from '@palimpsest/log';
import type pg from 'pg';
import { withClient } from './borrow-client.js';
import { type BinaryRow, copyRows } from './copy-rows.js';

export interface PartitionPlace {
  topic: string;
  topicId: number;
  partition: number;
}

/**
 * Records from `from` on, in order: at most `maxRecords`, and no more once `maxBytes` of keys, values and headers
 * are reached, but at least one. Empty at the end, also where retention has taken all there was to read. Throws
 * OffsetOutOfRangeError when the page would skip what retention has taken.
 */
export async function fetchPage(
  pool: pg.Pool,
  schema: string,
  place: PartitionPlace,
  from: bigint,
  maxRecords: number,
  maxBytes: number,
): Promise<LogRecord[]> {
  const rows = await withClient(pool, (client) =>
    copyRows(client, pageQuery(schema, place, from, maxRecords, maxBytes)),
  );
  const records = rows.map((row) => toRecord(place, row));
  // Our offsets have no gaps: a page that does not begin where it should tells of retention.
  const first = records[0];
  if (first !== undefined && first.offset !== from) await assertKept(pool, schema, place, from);
  return records;
}

/** Throws OffsetOutOfRangeError when `from` is below the first offset kept. */
export async function assertKept(
  pool: pg.Pool,
  schema: string,
  place: PartitionPlace,
  from: bigint,
): Promise<void> {
  const { low } = await partitionBounds(pool, schema, place);
  if (from < low) throw new OffsetOutOfRangeError(place.topic, place.partition, from, low);
}

export async function partitionBounds(
  pool: pg.Pool,
  schema: string,
  place: PartitionPlace,
): Promise<PartitionBounds> {
  const all = await topicBounds(pool, schema, place.topicId);
  const bounds = all[place.partition];
  if (bounds !== undefined) return bounds;
  throw new Error(`There is no partition ${place.topic}[${place.partition}]: the topic has ${all.length}.`);
}

/** By ascending partition. */
export async function topicBounds(
  pool: pg.Pool,
  schema: string,
  topicId: number,
): Promise<PartitionBounds[]> {
  const found = await pool.query<{ partition: number; low: string; high: string }>({
    name: `${schema}.bounds`,
    text: `select partition, low_offset as low, next_offset as high from ${schema}.partitions
           where topic_id = $1 order by partition`,
    values: [topicId],
  });
  return found.rows.map((row) => ({
    partition: row.partition,
    low: BigInt(row.low),
    high: BigInt(row.high),
  }));
}

function pageQuery(
  schema: string,
  place: PartitionPlace,
  from: bigint,
  maxRecords: number,
  maxBytes: number,
): string {
  const size =
    'coalesce(octet_length(key), 0) + coalesce(octet_length(value), 0) + coalesce(octet_length(headers), 0)';
  return `select "offset", key, value, headers, taken_at
    from (select *, sum(${size}) over (order by "offset") as upto, row_number() over (order by "offset") as n
          from (select * from ${schema}.records
                where topic_id = ${whole(place.topicId)} and partition = ${whole(place.partition)}
                  and "offset" >= ${whole(from)}
                order by "offset" limit ${whole(maxRecords)}) as page) as sized
    where n = 1 or upto <= ${whole(maxBytes)}
    order by "offset"`;
}

/** The text of a whole number, and of nothing else: it goes into the text of a query. */
function whole(value: number | bigint): string {
  return BigInt(value).toString();
}

function toRecord(place: PartitionPlace, row: BinaryRow): LogRecord {
  const [offset, key, value, headers, takenAt] = row as [Buffer, Buffer?, Buffer?, Buffer?, Buffer?];
  return {
    topic: place.topic,
    partition: place.partition,
    offset: offset.readBigInt64BE(0),
    key: key?.toString('utf8') ?? null,
    value: value ?? null,
    headers: headers == null ? {} : (JSON.parse(headers.toString('utf8')) as Record<string, string>),
    timestamp: Number((takenAt as Buffer).readBigInt64BE(0)),
  };
}
