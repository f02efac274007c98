import { createHash } from 'node:crypto';
import type pg from 'pg';

/**
 * Where large originals lie. Objects are named by their content, so they never change: `put` of a key that exists
 * writes the same bytes again, and may come twice, late, or from two processes at once.
 *
 * Duties of an implementation: what `put` has resolved for is read by every later `get`, also after a crash of this
 * process; a `put` that failed leaves no part of an object to be read. Not its job: tenants, which the caller puts into
 * the key; knowing which objects are still named by a row.
 */
export interface ObjectStore {
  /** What this is and where, for messages: `files in /data/objects`, `bucket originals at http://…`. */
  readonly place: string;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null where there is no such object. */
  get(key: string): Promise<Uint8Array | null>;
  /** Resolves also where there is none. */
  remove(key: string): Promise<void>;
  /** The key of every object, in no order. What is put or removed meanwhile may be in it or not. */
  list(): AsyncIterable<string>;
}

/** Keys are made here and by nobody else; a store refuses others, so none can name a path outside of it. */
const KEY = /^[0-9a-f]{16}\/[0-9a-f]{2}\/[0-9a-f]{1,64}$/;

/** The key of an original: a folder per tenant, whose name does not tell the tenant's. */
export function objectKey(tenant: string, artifactId: string): string {
  const id = /^[0-9a-f]{4,64}$/.test(artifactId) ? artifactId : hash(artifactId);
  return `${hash(tenant).slice(0, 16)}/${id.slice(0, 2)}/${id}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Of this project's tables alone; any number that no other advisory lock here uses. */
const LOCK = 7_302_118;

/**
 * Held to the end of the transaction. Those who put objects hold it together; who removes holds it alone, so that no
 * object is removed between its `put` and the commit of the row that names it.
 */
export async function lockObjects(tx: pg.ClientBase, purpose: 'put' | 'remove'): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock${purpose === 'put' ? '_shared' : ''}($1)`, [LOCK]);
}

/** Whether a name in a store is a key of ours. */
export function isKey(name: string): boolean {
  return KEY.test(name);
}

/** Throws where the key is not one of `objectKey`. */
export function assertKey(key: string): void {
  if (!KEY.test(key))
    throw new RangeError(`"${key.slice(0, 80)}" is no key of an object: objectKey makes them.`);
}
