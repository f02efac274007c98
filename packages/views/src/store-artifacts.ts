import type pg from 'pg';
import { lockObjects, objectKey, type ObjectStore } from './object-store/object-store.js';

/** The original of an entry that was cut, as a row. */
export interface ArtifactRow {
  tenant: string;
  conversationId: string;
  id: string;
  mime: string;
  content: string;
}

/**
 * From so many bytes on an original goes into the object store, where there is one. Above the largest budgets in use
 * (1 MiB is some 300,000 tokens): no context can hold it, so only the artifact readers ever ask for it.
 */
const OBJECT_BYTES = 1024 * 1024;
const PUTS_AT_ONCE = 8;

/**
 * Keeps originals; those that are kept already stay as they are. Large ones are put into the store before their rows
 * are written: a row that is committed names an object that is there. A transaction that fails may leave an object
 * without a row; `sweepObjects` finds it.
 */
export async function storeArtifacts(
  tx: pg.ClientBase,
  generation: number,
  rows: readonly ArtifactRow[],
  objects: ObjectStore | null = null,
  objectBytes = OBJECT_BYTES,
): Promise<void> {
  if (rows.length === 0) return;
  const sizes = rows.map((row) => Buffer.byteLength(row.content));
  const keys = rows.map((row, at) =>
    objects !== null && (sizes[at] ?? 0) >= objectBytes ? objectKey(row.tenant, row.id) : null,
  );
  if (objects !== null && keys.some((key) => key !== null)) {
    await lockObjects(tx, 'put');
    await putAll(objects, rows, keys);
  }
  await tx.query({
    name: 'store-artifacts',
    text: `insert into palimpsest.artifacts
             (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content, object_key)
           select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[])
           on conflict do nothing`,
    values: [
      generation,
      rows.map((row) => row.tenant),
      rows.map((row) => row.id),
      rows.map((row) => row.conversationId),
      rows.map((row) => row.mime),
      sizes,
      rows.map((row, at) => (keys[at] === null ? row.content : null)),
      keys,
    ],
  });
}

/** One original that many conversations show is put once. */
async function putAll(objects: ObjectStore, rows: readonly ArtifactRow[], keys: readonly (string | null)[]) {
  const contents = new Map<string, string>();
  for (const [at, key] of keys.entries()) if (key !== null) contents.set(key, rows[at]?.content ?? '');
  const waiting = [...contents];
  for (let from = 0; from < waiting.length; from += PUTS_AT_ONCE) {
    const some = waiting.slice(from, from + PUTS_AT_ONCE);
    await Promise.all(some.map(([key, content]) => objects.put(key, Buffer.from(content, 'utf8'))));
  }
}
