import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { registerRegistryContract } from './contract.js';
import { createPostgresRegistry } from './postgres-registry.js';

const SCHEMA = '"string"';

registerRegistryContract('Postgres', async () => {
  const db = await freshDatabase();
  return { registry: createPostgresRegistry({ pool: db.pool }), cleanup: () => db.drop() };
});

describe('the registry on Postgres', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await freshDatabase();
  });
  afterAll(async () => db.drop());

  it('makes its tables once, whoever comes first', async () => {
    const registries = Array.from({ length: 4 }, () => createPostgresRegistry({ pool: db.pool }));
    const ids = await Promise.all(registries.map((registry) => registry.register('many', SCHEMA)));
    expect(ids).toEqual([1, 1, 1, 1]);
  });

  it('answers as soon as Postgres is back, after failures that may be tried again', async () => {
    let down = true;
    const reached = async <T>(question: () => Promise<T>): Promise<T> => {
      if (down) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return question();
    };
    const pool = {
      connect: () => reached(() => db.pool.connect()),
      query: (text: string, values: unknown[]) => reached(() => db.pool.query(text, values)),
    } as unknown as pg.Pool;
    const registry = createPostgresRegistry({ pool });
    await expect(registry.register('later', SCHEMA)).rejects.toMatchObject({
      name: 'RegistryUnavailable',
      retryable: true,
    });
    down = false;
    const given = await registry.register('later', SCHEMA);
    down = true;
    await expect(registry.schemaById(given)).rejects.toMatchObject({ retryable: true });
    down = false;
    expect(await registry.schemaById(given)).toBe(SCHEMA);
  });

  it('does not take a database that a newer build has migrated', async () => {
    const newer = await freshDatabase();
    await createPostgresRegistry({ pool: newer.pool }).register('s', SCHEMA);
    await newer.pool.query('insert into palimpsest_registry.migrations (version) values (99)');
    await expect(createPostgresRegistry({ pool: newer.pool }).latest('s')).rejects.toThrow(/at version 99/);
    await newer.drop();
  });

  it('keeps a level per subject, over the one of all, over FULL_TRANSITIVE', async () => {
    const registry = createPostgresRegistry({ pool: db.pool });
    await registry.register('levels', '"int"');
    expect((await registry.compatible('levels', '"long"')).ok).toBe(false);
    await registry.setLevel('BACKWARD');
    expect((await registry.compatible('levels', '"long"')).ok).toBe(true);
    await registry.setLevel('FORWARD', 'levels');
    expect((await registry.compatible('levels', '"long"')).ok).toBe(false);
    await registry.setLevel(undefined, 'levels');
    await registry.setLevel(undefined);
    expect(await registry.level('levels')).toBeUndefined();
    expect((await registry.compatible('levels', '"long"')).messages[0]).toMatch(
      /version 1 cannot read the new schema/,
    );
  });
});
