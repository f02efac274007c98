import type pg from 'pg';
import { parseAvroSchema } from './avro-schema.js';
import { checkCompatibility, type CompatibilityLevel } from './check-compatibility.js';
import { inTransaction } from '@palimpsest/postgres';
import { toRegistryFailure } from './postgres-failure.js';
import { RegistryError, schemaNotFound, subjectNotFound, versionNotFound } from './registry-error.js';
import { migrateRegistry } from './registry-migrations.js';
import { addVersion, findVersion, levelFor, OF_ALL, versionsOf } from './registry-tables.js';
import type { Compatibility, RegisteredSchema, SchemaRegistry } from './schema-registry.js';

/** What the REST paths need beyond the port. */
export interface PostgresRegistry extends SchemaRegistry {
  subjects(): Promise<string[]>;
  /** Ascending. Code 40401 where there are none. */
  versions(subject: string): Promise<RegisteredSchema[]>;
  /** Codes 40401, 40402. */
  version(subject: string, version: number): Promise<RegisteredSchema>;
  /** Code 40401 for a subject unknown, 40403 for a schema that is none of its versions. */
  find(subject: string, schema: string): Promise<RegisteredSchema>;
  /** Every subject and version that has this schema. Code 40403. */
  usesOf(id: number): Promise<{ subject: string; version: number }[]>;
  /** As the subject's level says, or the one of all, but against this one version. */
  compatibleWith(subject: string, version: number, schema: string): Promise<Compatibility>;
  /** A subject's own level, or without a subject the one of all; undefined where none was set. */
  level(subject?: string): Promise<CompatibilityLevel | undefined>;
  /** `undefined` takes a level back. */
  setLevel(level: CompatibilityLevel | undefined, subject?: string): Promise<void>;
}

const LAST_ID = 2 ** 31 - 1;

/** The registry of the embedded default. Makes its tables (schema `palimpsest_registry`) when first asked. */
export function createPostgresRegistry({ pool }: { pool: pg.Pool }): PostgresRegistry {
  let migrated: Promise<void> | undefined;

  /** Runs one question on migrated tables, with failures in the port's terms; a failed migration is tried anew. */
  async function ask<T>(what: string, question: () => Promise<T>): Promise<T> {
    try {
      const attempt = (migrated ??= migrateRegistry(pool));
      await attempt.catch((error: unknown) => {
        if (migrated === attempt) migrated = undefined;
        throw error;
      });
      return await question();
    } catch (cause) {
      throw toRegistryFailure(what, cause);
    }
  }

  async function existing(subject: string): Promise<RegisteredSchema[]> {
    const versions = await versionsOf(pool, subject);
    if (versions.length === 0) throw subjectNotFound(subject);
    return versions;
  }

  const registry: PostgresRegistry = {
    async register(subject, text) {
      const schema = parseAvroSchema(text);
      if (subject === OF_ALL || subject.includes('\0')) {
        throw new RegistryError(422, 'A subject must have a name, without NUL');
      }
      return ask(`register a schema of subject '${subject}'`, async () => {
        const known = await findVersion(pool, subject, schema);
        if (known !== undefined) return known.id;
        return inTransaction(pool, (client) => addVersion(client, subject, schema));
      });
    },
    async schemaById(id) {
      // a record's four bytes may say more than an integer column can hold
      if (!Number.isInteger(id) || id < 1 || id > LAST_ID) throw schemaNotFound();
      return ask(`read schema ${id}`, async () => {
        const { rows } = await pool.query<{ schema: string }>(
          'select schema from palimpsest_registry.schemas where id = $1',
          [id],
        );
        if (rows[0] === undefined) throw schemaNotFound();
        return rows[0].schema;
      });
    },
    async idOf(subject, text) {
      return (await registry.find(subject, text)).id;
    },
    async latest(subject) {
      return ask(`read the latest schema of subject '${subject}'`, async () => {
        return (await existing(subject)).at(-1) as RegisteredSchema;
      });
    },
    async compatible(subject, text) {
      const schema = parseAvroSchema(text);
      return ask(`check a schema of subject '${subject}'`, async () => {
        const known = await findVersion(pool, subject, schema);
        if (known !== undefined) return { ok: true, messages: [] };
        return checkCompatibility(schema, await versionsOf(pool, subject), await levelFor(pool, subject));
      });
    },
    async subjects() {
      return ask('list subjects', async () => {
        const { rows } = await pool.query<{ subject: string }>(
          'select distinct subject from palimpsest_registry.versions order by subject',
        );
        return rows.map(({ subject }) => subject);
      });
    },
    async versions(subject) {
      return ask(`list versions of subject '${subject}'`, () => existing(subject));
    },
    async version(subject, version) {
      return ask(`read version ${version} of subject '${subject}'`, async () => {
        const found = (await existing(subject)).find((registered) => registered.version === version);
        if (found === undefined) throw versionNotFound(version);
        return found;
      });
    },
    async find(subject, text) {
      const schema = parseAvroSchema(text);
      return ask(`look up a schema of subject '${subject}'`, async () => {
        const found = await findVersion(pool, subject, schema);
        if (found !== undefined) return found;
        await existing(subject);
        throw schemaNotFound();
      });
    },
    async usesOf(id) {
      await registry.schemaById(id);
      return ask(`list uses of schema ${id}`, async () => {
        const { rows } = await pool.query<{ subject: string; version: number }>(
          'select subject, version from palimpsest_registry.versions where schema_id = $1 order by subject, version',
          [id],
        );
        return rows;
      });
    },
    async compatibleWith(subject, version, text) {
      const schema = parseAvroSchema(text);
      const registered = await registry.version(subject, version);
      return ask(`check a schema of subject '${subject}'`, async () =>
        checkCompatibility(schema, [registered], await levelFor(pool, subject)),
      );
    },
    async level(subject = OF_ALL) {
      return ask('read a compatibility level', async () => {
        const { rows } = await pool.query<{ level: CompatibilityLevel }>(
          'select level from palimpsest_registry.compatibility where subject = $1',
          [subject],
        );
        return rows[0]?.level;
      });
    },
    async setLevel(level, subject = OF_ALL) {
      return ask('set a compatibility level', async () => {
        if (level === undefined) {
          await pool.query('delete from palimpsest_registry.compatibility where subject = $1', [subject]);
          return;
        }
        await pool.query(
          `insert into palimpsest_registry.compatibility (subject, level) values ($1, $2)
           on conflict (subject) do update set level = excluded.level`,
          [subject, level],
        );
      });
    },
  };
  return registry;
}
