import { readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';

const LOCK = 7_205_759_403;

/**
 * Brings the schema up to the newest numbered file of `schemas/postgres`, each file in a transaction of its own.
 * Safe to call from several processes at once. Refuses a schema newer than this build knows.
 */
export async function migrate(pool: pg.Pool): Promise<void> {
  const folder = schemaFolder();
  const files = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted();
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('create schema if not exists palimpsest');
    await client.query(
      'create table if not exists palimpsest.migrations (version integer primary key, name text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ version: number }>(
      'select coalesce(max(version), 0) as version from palimpsest.migrations',
    );
    const applied = rows[0]?.version ?? 0;
    const newest = files.length === 0 ? 0 : versionOf(files[files.length - 1] as string);
    if (applied > newest) {
      throw new Error(
        `The Postgres schema is at version ${applied}, this build knows ${newest}: it was migrated by a newer build. ` +
          'Start that build, or restore a backup taken before its migration.',
      );
    }
    for (const file of files.filter((name) => versionOf(name) > applied)) {
      await apply(client, folder, file);
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
    client.release();
  }
}

async function apply(client: pg.PoolClient, folder: string, file: string): Promise<void> {
  try {
    await client.query('begin');
    await client.query(await readFile(join(folder, file), 'utf8'));
    await client.query('insert into palimpsest.migrations (version, name) values ($1, $2)', [
      versionOf(file),
      file,
    ]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    throw new Error(`Migration ${file} failed; nothing of it was kept.`, { cause });
  }
}

function versionOf(file: string): number {
  return Number(file.slice(0, 4));
}

/** `schemas/postgres` of the installation this file belongs to, whether run from src or dist. */
function schemaFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < 8; depth += 1) {
    const candidate = join(folder, 'schemas', 'postgres');
    if (existsSync(candidate)) return candidate;
    folder = dirname(folder);
  }
  throw new Error('schemas/postgres was not found above the views package: the installation is incomplete.');
}
