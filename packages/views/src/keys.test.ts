import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createKey, findKey, listKeys, revokeKey } from './keys.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
});
afterAll(() => db.drop());

describe('API keys', () => {
  it('finds tenant and scopes by the secret', async () => {
    const { keyId, secret } = await createKey(db.pool, {
      tenant: 'acme',
      scopes: ['ingest', 'read', 'read'],
    });
    expect(secret).toMatch(new RegExp(`^pk_${keyId}_`));
    expect(await findKey(db.pool, secret)).toEqual({ keyId, tenant: 'acme', scopes: ['ingest', 'read'] });
  });

  it('stores a hash, never the secret', async () => {
    const { keyId, secret } = await createKey(db.pool, { tenant: 'acme', scopes: ['read'] });
    const { rows } = await db.pool.query('select * from palimpsest.api_keys where key_id = $1', [keyId]);
    expect(rows[0].key_hash).toEqual(createHash('sha256').update(secret).digest());
    expect(JSON.stringify(rows[0])).not.toContain(secret.slice(-43));
  });

  it('knows no other secret, not even one with the id of a key', async () => {
    const { secret } = await createKey(db.pool, { tenant: 'acme', scopes: ['read'] });
    const last = secret.at(-2) === 'A' ? 'B' : 'A';
    const forged = secret.slice(0, -2) + last + secret.slice(-1);
    for (const wrong of [
      forged,
      '',
      'pk_',
      `${secret} `,
      secret.toUpperCase(),
      `pk_000000000000_${secret.slice(-43)}`,
      '\0',
    ]) {
      expect(await findKey(db.pool, wrong)).toBeNull();
    }
  });

  it('lets nobody in with a revoked key', async () => {
    const { keyId, secret } = await createKey(db.pool, { tenant: 'rotating', scopes: ['read'] });
    expect(await revokeKey(db.pool, keyId)).toBe(true);
    expect(await revokeKey(db.pool, keyId)).toBe(false);
    expect(await findKey(db.pool, secret)).toBeNull();
    const listed = await listKeys(db.pool, 'rotating');
    expect(listed).toMatchObject([{ keyId, tenant: 'rotating', scopes: ['read'] }]);
    expect(listed[0]?.revokedAt).toBeInstanceOf(Date);
  });

  it('makes no key without tenant, without scope, or with a scope that does not exist', async () => {
    await expect(createKey(db.pool, { tenant: '', scopes: ['read'] })).rejects.toThrow(/tenant/);
    await expect(createKey(db.pool, { tenant: 'a', scopes: [] })).rejects.toThrow(/scope/);
    await expect(createKey(db.pool, { tenant: 'a', scopes: ['root' as 'read'] })).rejects.toThrow(/root/);
  });
});
