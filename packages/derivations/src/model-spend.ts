import type { DerivationPurpose } from '@palimpsest/llm';
import type pg from 'pg';
import type { ModelCall, SpendLimits } from './derivation-service.js';

/** Counts what a tenant's calls of a run have used. Calls whose provider named no usage count as calls only. */
export async function countSpend(
  pool: pg.Pool,
  purpose: DerivationPurpose,
  tenant: string,
  calls: readonly ModelCall[],
  now: number,
): Promise<void> {
  const tokens = calls.reduce((sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output), 0);
  await pool.query(
    `insert into palimpsest.model_spend as spent (tenant, day, purpose, calls, tokens) values ($1, $2, $3, $4, $5)
     on conflict (tenant, day, purpose) do update
       set calls = spent.calls + excluded.calls, tokens = spent.tokens + excluded.tokens`,
    [tenant, dayOf(now), purpose, calls.length, tokens],
  );
}

/**
 * Milliseconds until a tenant may ask again, or 0 where it may now. A limit is passed by what is under way at the
 * moment it is reached, by at most a call for each job running.
 */
export async function spendHold(
  pool: pg.Pool,
  limits: SpendLimits | undefined,
  tenant: string,
  now: number,
): Promise<number> {
  const limit = limits?.tokensPerTenantDay;
  if (limit === undefined) return 0;
  const { rows } = await pool.query<{ tokens: string }>(
    'select coalesce(sum(tokens), 0) as tokens from palimpsest.model_spend where tenant = $1 and day = $2',
    [tenant, dayOf(now)],
  );
  return Number(rows[0]?.tokens ?? 0) < limit ? 0 : DAY - (now % DAY);
}

const DAY = 86_400_000;

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
