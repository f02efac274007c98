import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type pg from 'pg';

export type Scope = 'ingest' | 'read' | 'admin';
export const SCOPES: readonly Scope[] = ['ingest', 'read', 'admin'];

/** What a valid key stands for. */
export interface ApiKey {
  keyId: string;
  tenant: string;
  scopes: Scope[];
}

export interface ListedKey extends ApiKey {
  createdAt: Date;
  revokedAt: Date | null;
}

const SECRET = /^pk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;
const NO_HASH = Buffer.alloc(32);

/**
 * Makes a key. `secret` (`pk_<keyId>_<random>`) is shown this once: the table holds its SHA-256 only, which is enough
 * for 256 random bits (a slow hash is for passwords that people choose).
 */
export async function createKey(
  pool: pg.Pool,
  key: { tenant: string; scopes: readonly Scope[] },
): Promise<{ keyId: string; secret: string }> {
  const unknown = key.scopes.filter((scope) => !SCOPES.includes(scope));
  if (key.tenant === '' || key.scopes.length === 0 || unknown.length > 0) {
    throw new Error(
      `A key needs a tenant and at least one scope of ${SCOPES.join(', ')}; got tenant "${key.tenant}", ` +
        `scopes "${key.scopes.join(', ')}".`,
    );
  }
  const keyId = randomBytes(6).toString('hex');
  const secret = `pk_${keyId}_${randomBytes(32).toString('base64url')}`;
  await pool.query(
    'insert into palimpsest.api_keys (key_id, key_hash, tenant, scopes) values ($1, $2, $3, $4)',
    [keyId, hashOf(secret), key.tenant, [...new Set(key.scopes)]],
  );
  return { keyId, secret };
}

/** The key that a secret belongs to; null where it is malformed, unknown or revoked. Compares in constant time. */
export async function findKey(pool: pg.Pool, secret: string): Promise<ApiKey | null> {
  const match = SECRET.exec(secret);
  if (match === null) return null;
  const { rows } = await pool.query<{ key_hash: Buffer; tenant: string; scopes: Scope[] }>({
    name: 'find-key',
    text: 'select key_hash, tenant, scopes from palimpsest.api_keys where key_id = $1 and revoked_at is null',
    values: [match[1]],
  });
  const row = rows[0];
  const same = timingSafeEqual(row?.key_hash ?? NO_HASH, hashOf(secret));
  if (row === undefined || !same) return null;
  return { keyId: match[1] as string, tenant: row.tenant, scopes: row.scopes };
}

/** All keys, of one tenant or of all, oldest first, without anything that would let one use them. */
export async function listKeys(pool: pg.Pool, tenant?: string): Promise<ListedKey[]> {
  const { rows } = await pool.query<{
    key_id: string;
    tenant: string;
    scopes: Scope[];
    created_at: Date;
    revoked_at: Date | null;
  }>(
    `select key_id, tenant, scopes, created_at, revoked_at from palimpsest.api_keys
      where $1::text is null or tenant = $1 order by created_at, key_id`,
    [tenant ?? null],
  );
  return rows.map((row) => ({
    keyId: row.key_id,
    tenant: row.tenant,
    scopes: row.scopes,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }));
}

/** From the moment this resolves no request is let in with that key. False where there is no such key in force. */
export async function revokeKey(pool: pg.Pool, keyId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update palimpsest.api_keys set revoked_at = now() where key_id = $1 and revoked_at is null',
    [keyId],
  );
  return rowCount === 1;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
