import type { Ledger } from '@palimpsest/ledger';

/** Above the ledger's own limit of 30 s for a query, whose error says more than a timeout. */
const ANSWER_WITHIN_MS = 35_000;

/**
 * The queries of a ledger that another process serves with `serveLedger`. Answers JSON, to one tenant each: without a
 * tenant, or in another format, it rejects.
 */
export function remoteLedger(options: { url: string; token: string }): Pick<Ledger, 'query'> {
  const base = new URL(options.url);
  return {
    async query(query, { tenant, format }) {
      if (tenant === undefined || (format !== undefined && format !== 'JSON')) {
        throw new Error('The ledger of metrics-sink answers JSON to one tenant each: name the tenant.');
      }
      const response = await fetch(new URL('/query', base), {
        method: 'POST',
        headers: { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, tenant }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      }).catch((cause: unknown) => {
        throw new Error(`The ledger of metrics-sink at ${base.host} does not answer: is it up?`, { cause });
      });
      const text = await response.text();
      if (response.ok) return text;
      throw new Error(refusalIn(text) ?? `The ledger at ${base.host} answered ${response.status}.`);
    },
  };
}

function refusalIn(text: string): string | null {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : null;
  } catch {
    return null;
  }
}
