/** A fact as `palimpsest.facts` holds it, without its conversation. Times in milliseconds since 1970. */
export interface FactRow {
  fact_id: string;
  client_id: string | null;
  fact_type: string;
  actor: string;
  subject: string;
  payload: string;
  valid_from: number | null;
  valid_until: number | null;
  source_id: string;
  source_order: bigint;
  derivation_id: string;
  superseded_by: string | null;
  tokens: number;
}

/**
 * Merges facts into those of a conversation and returns the rows that are new or changed.
 * - Facts of one type, actor and subject speak of one thing: the one from the latest source is current, each other is
 *   superseded by the next later one and valid at most until a later one began. None is ever deleted.
 * - The result is the same for every order and any repetition of what is merged: what ends a fact's validity is the
 *   earliest beginning among all later facts, and a fact known twice keeps the smaller derivation id.
 */
export function supersedeFacts(known: readonly FactRow[], incoming: readonly FactRow[]): FactRow[] {
  const all = new Map(known.map((fact) => [fact.fact_id, fact]));
  const touched = new Set<string>();
  const changed = new Map<string, FactRow>();
  for (const fact of incoming) {
    const before = all.get(fact.fact_id);
    if (before !== undefined && before.derivation_id <= fact.derivation_id) continue;
    const kept =
      before === undefined
        ? fact
        : { ...before, derivation_id: fact.derivation_id, client_id: fact.client_id };
    all.set(fact.fact_id, kept);
    changed.set(fact.fact_id, kept);
    touched.add(topicOf(fact));
  }
  for (const topic of touched) {
    const facts = [...all.values()].filter((fact) => topicOf(fact) === topic).toSorted(bySource);
    let ends: number | null = null;
    for (let at = facts.length - 1; at >= 0; at -= 1) {
      const fact = facts[at] as FactRow;
      const valid_until = earliest(fact.valid_until, ends);
      const superseded_by = facts[at + 1]?.fact_id ?? null;
      if (valid_until !== fact.valid_until || superseded_by !== fact.superseded_by) {
        changed.set(fact.fact_id, { ...fact, valid_until, superseded_by });
      }
      ends = earliest(ends, fact.valid_from);
    }
  }
  return [...changed.values()].toSorted(bySource);
}

/** Case and form of letters do not make another subject. */
function topicOf(fact: FactRow): string {
  const subject = fact.subject.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return JSON.stringify([fact.fact_type, fact.actor, subject]);
}

function bySource(a: FactRow, b: FactRow): number {
  if (a.source_order !== b.source_order) return a.source_order < b.source_order ? -1 : 1;
  return a.fact_id < b.fact_id ? -1 : a.fact_id > b.fact_id ? 1 : 0;
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
