import type pg from 'pg';
import type { AvroSchema } from './avro-schema.js';
import { checkCompatibility, type CompatibilityLevel, DEFAULT_COMPATIBILITY } from './check-compatibility.js';
import { RegistryError } from './registry-error.js';
import { REGISTRY_LOCK } from './registry-migrations.js';
import type { RegisteredSchema } from './schema-registry.js';

type Queryable = pg.Pool | pg.PoolClient;

/** The subject that stands for all subjects in the table of levels. */
export const OF_ALL = '';

/** Ascending; empty for a subject unknown. */
export async function versionsOf(on: Queryable, subject: string): Promise<RegisteredSchema[]> {
  const { rows } = await on.query<RegisteredSchema>(
    `select s.id, v.version, s.schema
       from palimpsest_registry.versions v join palimpsest_registry.schemas s on s.id = v.schema_id
      where v.subject = $1 order by v.version`,
    [subject],
  );
  return rows;
}

export async function findVersion(
  on: Queryable,
  subject: string,
  schema: AvroSchema,
): Promise<RegisteredSchema | undefined> {
  const { rows } = await on.query<RegisteredSchema>(
    `select s.id, v.version, s.schema
       from palimpsest_registry.versions v join palimpsest_registry.schemas s on s.id = v.schema_id
      where v.subject = $1 and s.hash = $2`,
    [subject, schema.hash],
  );
  return rows[0];
}

/** The subject's own level, else the one of all, else FULL_TRANSITIVE. */
export async function levelFor(on: Queryable, subject: string): Promise<CompatibilityLevel> {
  const { rows } = await on.query<{ level: CompatibilityLevel }>(
    `select level from palimpsest_registry.compatibility where subject in ($1, $2)
      order by subject = $2 limit 1`,
    [subject, OF_ALL],
  );
  return rows[0]?.level ?? DEFAULT_COMPATIBILITY;
}

/** Under the lock nobody else gives ids or versions, so that the next ones are the greatest plus one. */
export async function addVersion(
  client: pg.PoolClient,
  subject: string,
  schema: AvroSchema,
): Promise<number> {
  await client.query('select pg_advisory_xact_lock($1)', [REGISTRY_LOCK]);
  const known = await findVersion(client, subject, schema);
  if (known !== undefined) return known.id;
  const level = await levelFor(client, subject);
  const { ok, messages } = checkCompatibility(schema, await versionsOf(client, subject), level);
  if (!ok) {
    const text = `Schema being registered is incompatible with an earlier schema of subject '${subject}' (${level}): `;
    throw new RegistryError(409, text + messages.join('; '), { messages });
  }
  await client.query(
    `insert into palimpsest_registry.schemas (id, hash, schema)
     select coalesce(max(id), 0) + 1, $1, $2 from palimpsest_registry.schemas
     on conflict (hash) do nothing`,
    [schema.hash, schema.text],
  );
  const { rows } = await client.query<{ schema_id: number }>(
    `insert into palimpsest_registry.versions (subject, version, schema_id)
     select $1, coalesce((select max(version) from palimpsest_registry.versions where subject = $1), 0) + 1, id
       from palimpsest_registry.schemas where hash = $2
     returning schema_id`,
    [subject, schema.hash],
  );
  return rows[0]?.schema_id as number;
}
