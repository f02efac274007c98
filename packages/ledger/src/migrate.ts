import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS, type Engine } from './engine.js';
import { splitStatements } from './tokenize-sql.js';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** The tables were made by a newer build than this one. */
export class NewerSchemaError extends Error {
  override name = 'NewerSchemaError';
}

/**
 * Brings the ledger's tables up to date, in order of version. ClickHouse has no transaction around DDL: every
 * statement of a migration is written so that running it again is harmless, and a version is noted after its last one.
 * Throws NewerSchemaError before touching anything when the tables are newer than this build.
 */
export async function migrate(
  engine: Engine,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  await engine.command(
    'create table if not exists schema_migrations (version UInt32, name String, ' +
      "applied_at DateTime64(3, 'UTC') default now64(3)) engine = ReplacingMergeTree order by version",
  );
  const applied = await appliedVersions(engine);
  const newest = migrations.at(-1)?.version ?? 0;
  const unknown = applied.filter((version) => version > newest);
  if (unknown.length > 0) {
    throw new NewerSchemaError(
      `The ledger's tables are at version ${Math.max(...unknown)}, this build knows ${newest}. ` +
        'Start the newer build, or restore a backup taken before it ran.',
    );
  }
  for (const migration of migrations) {
    if (applied.includes(migration.version)) continue;
    for (const statement of splitStatements(migration.sql)) {
      try {
        await engine.command(statement);
      } catch (cause) {
        throw new Error(`Migration ${migration.name} of the ledger failed at: ${statement.slice(0, 120)}`, {
          cause,
        });
      }
    }
    await engine.insert(
      'schema_migrations',
      ['version', 'name'],
      [[migration.version, migration.name]],
      migration.name,
    );
  }
}

/** The numbered files of schemas/clickhouse, in order. */
export function readMigrations(): Migration[] {
  const folder = schemaFolder();
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ version: versionOf(name), name, sql: readFileSync(path.join(folder, name), 'utf8') }));
}

function versionOf(name: string): number {
  const match = /^(\d{4})_/.exec(name);
  if (match === null)
    throw new Error(`schemas/clickhouse/${name} has no number: name it 0001_what-it-does.sql.`);
  return Number(match[1]);
}

/** Looked for upward from this file: src and dist lie at different depths, and a deployment may lay them elsewhere. */
function schemaFolder(): string {
  const start = path.dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'schemas', 'clickhouse');
    if (existsSync(found)) return found;
    if (path.dirname(folder) === folder) {
      throw new Error(`No folder schemas/clickhouse above ${start}: install the project with its schemas.`);
    }
  }
}

async function appliedVersions(engine: Engine): Promise<number[]> {
  const text = await engine.read('select distinct version from schema_migrations', 'JSONCompactEachRow', {
    tenant: null,
    limits: DEFAULT_LIMITS,
  });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as [number])[0]);
}
