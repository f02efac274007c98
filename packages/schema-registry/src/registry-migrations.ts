import type pg from 'pg';
import { inTransaction } from '@palimpsest/postgres';
import { RegistryError } from './registry-error.js';

/** Forward only, in order; the index is the version reached. The registry has a Postgres schema of its own. */
const MIGRATIONS: readonly string[] = [
  `
  create table palimpsest_registry.schemas (
    id integer primary key,
    hash bytea not null unique,
    schema text not null
  );
  create table palimpsest_registry.versions (
    subject text not null,
    version integer not null,
    schema_id integer not null references palimpsest_registry.schemas (id),
    primary key (subject, version),
    unique (subject, schema_id)
  );
  create index versions_by_schema on palimpsest_registry.versions (schema_id);
  -- the subject '' is the level of all subjects without one of their own
  create table palimpsest_registry.compatibility (
    subject text primary key,
    level text not null
  );
  `,
];

/** 'registry' in ASCII: one migration, and one registration, at a time. */
export const REGISTRY_LOCK = 0x7265_6769n;

/** Brings the tables up to this build's version; refuses a database that a newer build has migrated. */
export async function migrateRegistry(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [REGISTRY_LOCK]);
    await client.query('create schema if not exists palimpsest_registry');
    await client.query(
      'create table if not exists palimpsest_registry.migrations (version integer primary key)',
    );
    const { rows } = await client.query<{ version: number | null }>(
      'select max(version) as version from palimpsest_registry.migrations',
    );
    const done = rows[0]?.version ?? 0;
    if (done > MIGRATIONS.length) {
      const found = `palimpsest_registry is at version ${done}, this build knows ${MIGRATIONS.length}`;
      throw new RegistryError(500, `${found}: run the newer build, or restore a backup of before`);
    }
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < done) continue;
      await client.query(sql);
      await client.query('insert into palimpsest_registry.migrations (version) values ($1)', [index + 1]);
    }
  });
}
