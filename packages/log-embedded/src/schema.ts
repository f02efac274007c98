import type pg from 'pg';
import { withTransaction } from './borrow-client.js';

/** Numbered steps, forward only; step n brings the schema to version n. `$schema` is the schema's name. */
const STEPS: readonly string[] = [
  `create table $schema.topics (
     topic_id integer generated always as identity primary key,
     topic text not null unique,
     partitions integer not null check (partitions > 0)
   );
   -- The row of a partition is its counter and its lock: an append holds it until it commits, so the order of
   -- offsets is the order of commits and a reader never sees a later offset before an earlier one.
   create table $schema.partitions (
     topic_id integer not null references $schema.topics,
     partition integer not null,
     low_offset bigint not null default 0,
     next_offset bigint not null default 0,
     primary key (topic_id, partition)
   ) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000);
   create table $schema.records (
     topic_id integer not null,
     partition integer not null,
     "offset" bigint not null,
     key bytea,
     value bytea,
     -- JSON object; null = none
     headers text,
     -- milliseconds since 1970
     taken_at bigint not null,
     primary key (topic_id, partition, "offset")
   );
   -- A mirror of the consumers' checkpoints for lag tools; never read back as a start.
   create table $schema.commits (
     consumer_group text not null,
     topic_id integer not null references $schema.topics,
     partition integer not null,
     next_offset bigint not null,
     committed_at timestamptz not null default now(),
     primary key (consumer_group, topic_id, partition)
   );`,
];

/** Creates the schema or brings it up to date; safe to call from several processes at once. */
export function ensureSchema(pool: pg.Pool, schema: string): Promise<void> {
  return withTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${schema}/schema`]);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(`create table if not exists ${schema}.version (version integer not null)`);
    const found = await client.query<{ version: number }>(`select version from ${schema}.version`);
    const version = found.rows[0]?.version ?? 0;
    if (version > STEPS.length) {
      throw new Error(
        `The log's schema "${schema}" is of version ${version}, this build knows ${STEPS.length}: a newer build has ` +
          `written it. Run that build, or restore a backup made before it.`,
      );
    }
    for (const step of STEPS.slice(version)) await client.query(step.replaceAll('$schema', schema));
    if (found.rowCount === 0) await client.query(`insert into ${schema}.version values (0)`);
    await client.query(`update ${schema}.version set version = $1`, [STEPS.length]);
  });
}

/** The schema's name goes into SQL text, so it must need no quoting. */
export function checkedSchemaName(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) return schema;
  throw new Error(`"${schema}" cannot be the log's schema: use up to 51 of a-z, 0-9 and _.`);
}
