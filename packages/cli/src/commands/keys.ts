import { createKey, listKeys, revokeKey, type Scope, SCOPES } from '@palimpsest/views';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { withStore } from '../stack/with-store.js';

/** `palimpsest keys create`: the secret is printed this once; the store keeps its hash only. */
export async function createKeyCommand(
  asked: { tenant: string; scopes: string },
  environment: Environment,
  output: Output,
): Promise<void> {
  const scopes = scopesOf(asked.scopes);
  if (asked.tenant.trim() === '') throw new UsageError('--tenant is empty: name whose data the key opens.');
  await withStore(environment, output.progress, async ({ pool }) => {
    const { keyId, secret } = await createKey(pool, { tenant: asked.tenant, scopes });
    output.line(secret);
    output.progress(
      `Key ${keyId} of tenant ${asked.tenant} for ${scopes.join(', ')}. It is not shown again.`,
    );
    output.value({ key_id: keyId, tenant: asked.tenant, scopes, secret });
  });
}

/** `palimpsest keys list`: nothing in it lets one use a key. */
export async function listKeysCommand(
  asked: { tenant?: string },
  environment: Environment,
  output: Output,
): Promise<void> {
  await withStore(environment, output.progress, async ({ pool }) => {
    const keys = await listKeys(pool, asked.tenant);
    const table = new Table({ head: ['key', 'tenant', 'scopes', 'made', 'revoked'], style: { head: [] } });
    for (const { keyId, tenant, scopes, createdAt, revokedAt } of keys) {
      table.push([keyId, tenant, scopes.join(', '), createdAt.toISOString(), revokedAt?.toISOString() ?? '']);
    }
    output.line(keys.length === 0 ? 'There are no keys.' : table.toString());
    output.value(
      keys.map((key) => ({
        key_id: key.keyId,
        tenant: key.tenant,
        scopes: key.scopes,
        created_at: key.createdAt,
        revoked_at: key.revokedAt,
      })),
    );
  });
}

/** `palimpsest keys revoke`: from its end on no request is let in with the key. */
export async function revokeKeyCommand(
  given: string,
  environment: Environment,
  output: Output,
): Promise<void> {
  // Whoever revokes a leaked key has the secret at hand rather than its id.
  const keyId = /^pk_([0-9a-f]{12})_/.exec(given)?.[1] ?? given;
  await withStore(environment, output.progress, async ({ pool }) => {
    if (!(await revokeKey(pool, keyId))) {
      throw new CommandError(`No key ${keyId} is in force: "palimpsest keys list" shows those there are.`);
    }
    output.line(`Key ${keyId} is revoked.`);
    output.value({ key_id: keyId, revoked: true });
  });
}

function scopesOf(list: string): Scope[] {
  return list.split(',').map((name) => {
    const scope = SCOPES.find((one) => one === name.trim());
    if (scope === undefined) throw new UsageError(`--scopes: "${name}" is none of ${SCOPES.join(', ')}.`);
    return scope;
  });
}
