import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { findOriginal } from './artifacts.js';
import { assertKey, type ObjectStore, objectKey } from './object-store/object-store.js';
import { removeArtifacts, removeUnnamed, sweepObjects } from './remove-artifacts.js';
import { type ArtifactRow, storeArtifacts } from './store-artifacts.js';

class MemoryObjects implements ObjectStore {
  readonly place = 'memory';
  readonly held = new Map<string, Uint8Array>();
  puts = 0;
  failing = false;
  put(key: string, bytes: Uint8Array): Promise<void> {
    assertKey(key);
    if (this.failing) return Promise.reject(new Error('no room'));
    this.puts += 1;
    this.held.set(key, bytes);
    return Promise.resolve();
  }
  get(key: string): Promise<Uint8Array | null> {
    return Promise.resolve(this.held.get(key) ?? null);
  }
  remove(key: string): Promise<void> {
    this.held.delete(key);
    return Promise.resolve();
  }
  async *list(): AsyncGenerator<string> {
    yield* this.held.keys();
  }
}

const LIMIT = 100;
let db: TestDatabase;
let objects: MemoryObjects;
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  for (const generation of [1, 2]) {
    await db.pool.query('select palimpsest.create_generation_partitions($1)', [generation]);
  }
});
afterAll(() => db.drop());
beforeEach(async () => {
  objects = new MemoryObjects();
  await db.pool.query('delete from palimpsest.artifacts');
});

function row(content: string, conversationId = 'c', tenant = 'acme'): ArtifactRow {
  const id = createHash('sha256').update(`${tenant}\0${content}`).digest('hex').slice(0, 24);
  return { tenant, conversationId, id, mime: 'text/plain', content };
}

async function store(
  rows: ArtifactRow[],
  generation = 1,
  end: 'commit' | 'rollback' = 'commit',
): Promise<void> {
  const tx = await db.pool.connect();
  try {
    await tx.query('begin');
    await storeArtifacts(tx, generation, rows, objects, LIMIT);
    await tx.query(end);
  } catch (error) {
    await tx.query('rollback');
    throw error;
  } finally {
    tx.release();
  }
}

const read = (of: ArtifactRow, generation = 1) =>
  findOriginal(db.pool, { generation, tenant: of.tenant, id: of.id }, objects);

async function remove(conversation: string): Promise<number> {
  const tx = await db.pool.connect();
  try {
    return await removeUnnamed(db.pool, objects, await removeArtifacts(tx, 'acme', conversation));
  } finally {
    tx.release();
  }
}

const large = row('ї'.repeat(LIMIT));
const small = row('small');

describe('originals', () => {
  it('go to the object store from its limit of bytes on, and are read as they were', async () => {
    await store([small, large]);
    expect([...objects.held.keys()]).toEqual([objectKey('acme', large.id)]);
    expect(await read(small)).toMatchObject({ text: 'small' });
    expect(await read(large)).toMatchObject({ text: large.content, mime: 'text/plain', conversationId: 'c' });
  });

  it('stay in Postgres where there is no object store', async () => {
    const tx = await db.pool.connect();
    await storeArtifacts(tx, 1, [large], null, LIMIT);
    tx.release();
    expect(await findOriginal(db.pool, { generation: 1, tenant: 'acme', id: large.id })).toMatchObject({
      text: large.content,
    });
  });

  it('are put once for all conversations of a batch that show them', async () => {
    await store([large, { ...large, conversationId: 'd' }]);
    expect(objects.puts).toBe(1);
  });

  it('are not in the table when the store does not take them', async () => {
    objects.failing = true;
    await expect(store([small, large])).rejects.toThrow('no room');
    expect(await read(small)).toBeNull();
  });

  it('say which store is missing where a process was given none', async () => {
    await store([large]);
    await expect(findOriginal(db.pool, { generation: 1, tenant: 'acme', id: large.id })).rejects.toThrow(
      /object store/,
    );
  });

  it('that are damaged are an error, not an answer', async () => {
    await store([large]);
    objects.held.set(objectKey('acme', large.id), Buffer.from('short'));
    await expect(read(large)).rejects.toThrow(/5 bytes in place of 200/);
  });
});

describe('removing originals', () => {
  it('removes an object with the last conversation and generation that names it', async () => {
    await store([large, { ...large, conversationId: 'd' }]);
    await store([large], 2);
    expect(await remove('c')).toBe(0);
    expect(objects.held.size).toBe(1);
    expect(await remove('d')).toBe(1);
    expect(objects.held.size).toBe(0);
  });

  it('does not touch the same text of another tenant', async () => {
    const other = row(large.content, 'c', 'other');
    await store([large, other]);
    expect(await remove('c')).toBe(1);
    expect(await read(other)).toMatchObject({ text: large.content });
  });

  it('sweeps objects that a failed transaction has left, and no others', async () => {
    await store([large]);
    await store([row('x'.repeat(LIMIT))], 1, 'rollback');
    expect(objects.held.size).toBe(2);
    expect(await sweepObjects(db.pool, objects)).toBe(1);
    expect(await read(large)).toMatchObject({ text: large.content });
  });

  it('waits for a transaction that has put an object but is not committed', async () => {
    const tx = await db.pool.connect();
    let sweep: Promise<number> | undefined;
    try {
      await tx.query('begin');
      await storeArtifacts(tx, 1, [large], objects, LIMIT);
      sweep = sweepObjects(db.pool, objects);
      await vi.waitFor(async () => {
        const { rows } = await db.pool.query(
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        expect(rows).toHaveLength(1);
      });
      await tx.query('commit');
    } finally {
      tx.release(true);
    }
    expect(await sweep).toBe(0);
    expect(await read(large)).toMatchObject({ text: large.content });
  });
});
