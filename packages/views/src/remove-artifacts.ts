import type pg from 'pg';
import { lockObjects, type ObjectStore } from './object-store/object-store.js';

/**
 * Deletes the originals of a conversation in all generations. Returns the keys of the objects they named: give them to
 * `removeUnnamed` once the transaction is committed.
 */
export async function removeArtifacts(
  tx: pg.ClientBase,
  tenant: string,
  conversationId: string,
): Promise<string[]> {
  const { rows } = await tx.query<{ object_key: string | null }>(
    `delete from palimpsest.artifacts where tenant = $1 and conversation_id = $2 returning object_key`,
    [tenant, conversationId],
  );
  return [...new Set(rows.flatMap((row) => row.object_key ?? []))];
}

const AT_ONCE = 100;

/**
 * Removes those of the objects that no row names, in any generation or conversation, and returns how many they were.
 * Nobody writes rows that name objects meanwhile, so an original that comes again is not lost between the two.
 */
export async function removeUnnamed(
  pool: pg.Pool,
  objects: ObjectStore,
  keys: readonly string[],
): Promise<number> {
  let removed = 0;
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    removed += await removeSome(pool, objects, keys.slice(from, from + AT_ONCE));
  }
  return removed;
}

async function removeSome(pool: pg.Pool, objects: ObjectStore, keys: readonly string[]): Promise<number> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    await lockObjects(client, 'remove');
    const { rows } = await client.query<{ key: string }>(
      `select key from unnest($1::text[]) as k (key)
       where not exists (select from palimpsest.artifacts a where a.object_key = k.key)`,
      [keys],
    );
    for (const { key } of rows) await objects.remove(key);
    await client.query('commit');
    return rows.length;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Removes every object that no row names: left by transactions that failed and by generations that were retired. Safe
 * beside running consumers. Returns how many.
 */
export async function sweepObjects(pool: pg.Pool, objects: ObjectStore): Promise<number> {
  let removed = 0;
  let keys: string[] = [];
  for await (const key of objects.list()) {
    keys.push(key);
    if (keys.length < AT_ONCE) continue;
    removed += await removeUnnamed(pool, objects, keys);
    keys = [];
  }
  return removed + (await removeUnnamed(pool, objects, keys));
}
