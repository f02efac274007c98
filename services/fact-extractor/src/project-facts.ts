import { checkpointOf, deterministicId } from '@palimpsest/derivations';
import { type ExtractedFact, type FactsMadeEvent, TOPICS } from '@palimpsest/events';
import { RetryableError } from '@palimpsest/runtime';
import type pg from 'pg';
import { messagePartition } from './message-partition.js';
import { type FactRow, supersedeFacts } from './supersede-facts.js';

export interface FactProjection {
  generation: number;
  /** Partitions of `chat.messages`. */
  partitions: number;
  count(text: string): number;
}

/**
 * Projects extracted facts, in log order. Only what a user of the same conversation said becomes a fact, whoever
 * extracted it. Throws RetryableError while the truncator has not projected the sources yet.
 */
export async function projectFacts(
  tx: pg.PoolClient,
  projection: FactProjection,
  events: readonly FactsMadeEvent[],
): Promise<void> {
  for (const event of events) {
    if (event.facts.length === 0) continue;
    const sources = await userSources(tx, projection, event);
    const rows = factRows(event, sources, projection);
    if (rows.length === 0) continue;
    const known = await readFacts(tx, projection.generation, event);
    await writeFacts(tx, projection.generation, event, supersedeFacts(known, rows));
  }
}

interface Source {
  order: bigint;
  at: number;
}

async function userSources(
  tx: pg.PoolClient,
  { generation, partitions }: FactProjection,
  event: FactsMadeEvent,
): Promise<Map<string, Source>> {
  const ids = [...new Set(event.facts.map((fact) => fact.source_id))];
  const { rows } = await tx.query<{ event_id: string; ord: string; at: Date; role: string | null }>(
    `select event_id, ord, occurred_at as at, entry::json ->> 'role' as role from palimpsest.messages
     where generation = $1 and tenant = $2 and conversation_id = $3 and event_id = any ($4::uuid[]) and kind = 'message'`,
    [generation, event.tenant, event.conversation_id, ids],
  );
  if (rows.length < ids.length) {
    const partition = messagePartition(event, partitions);
    const projected = await checkpointOf(tx, generation, 'truncator', TOPICS.messages, partition);
    if (projected <= event.seen_offset) {
      const found = `Facts ${event.event_id} speak of messages that the truncator has not projected yet`;
      throw new RetryableError(
        `${found} (it is at ${projected}, they saw ${event.seen_offset}). Is it running?`,
      );
    }
  }
  const users = rows.filter((row) => row.role === 'user');
  return new Map(users.map((row) => [row.event_id, { order: BigInt(row.ord), at: row.at.getTime() }]));
}

function factRows(event: FactsMadeEvent, sources: Map<string, Source>, { count }: FactProjection): FactRow[] {
  const rows = new Map<string, FactRow>();
  for (const fact of event.facts) {
    const source = sources.get(fact.source_id);
    if (source === undefined || fact.subject.trim() === '' || fact.payload.trim() === '') continue;
    // Of two statements on one subject in one message the later stays.
    const key = JSON.stringify([fact.source_id, fact.fact_type, fact.actor, fact.subject.toLowerCase()]);
    rows.set(key, factRow(event, fact, source, count));
  }
  return [...rows.values()];
}

function factRow(
  event: FactsMadeEvent,
  fact: ExtractedFact,
  source: Source,
  count: (text: string) => number,
): FactRow {
  const valid_from = fact.valid_from ?? source.at;
  const said = [fact.fact_type, fact.actor, fact.subject, fact.payload, valid_from, fact.valid_until];
  return {
    fact_id: deterministicId('fact', event.tenant, event.conversation_id, fact.source_id, ...said),
    client_id: event.client_id,
    fact_type: fact.fact_type,
    actor: fact.actor,
    subject: fact.subject,
    payload: fact.payload,
    valid_from,
    valid_until: fact.valid_until,
    source_id: fact.source_id,
    source_order: source.order,
    derivation_id: event.event_id,
    superseded_by: null,
    tokens: count(`${fact.subject}: ${fact.payload}`),
  };
}

interface StoredFact extends Omit<FactRow, 'source_order' | 'valid_from' | 'valid_until'> {
  source_order: string;
  valid_from: Date | null;
  valid_until: Date | null;
}

async function readFacts(tx: pg.PoolClient, generation: number, event: FactsMadeEvent): Promise<FactRow[]> {
  const { rows } = await tx.query<StoredFact>(
    `select fact_id, client_id, fact_type, actor, subject, payload, valid_from, valid_until, source_id, source_order,
            derivation_id, superseded_by, tokens
     from palimpsest.facts where generation = $1 and tenant = $2 and conversation_id = $3`,
    [generation, event.tenant, event.conversation_id],
  );
  return rows.map((row) => ({
    ...row,
    source_order: BigInt(row.source_order),
    valid_from: row.valid_from?.getTime() ?? null,
    valid_until: row.valid_until?.getTime() ?? null,
  }));
}

async function writeFacts(
  tx: pg.PoolClient,
  generation: number,
  event: FactsMadeEvent,
  facts: readonly FactRow[],
): Promise<void> {
  for (const fact of facts) {
    await tx.query(
      `insert into palimpsest.facts (generation, tenant, conversation_id, fact_id, client_id, fact_type, actor, subject,
                                     payload, valid_from, valid_until, source_id, source_order, derivation_id,
                                     superseded_by, tokens)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::float8 / 1000), to_timestamp($11::float8 / 1000),
               $12, $13, $14, $15, $16)
       on conflict (generation, tenant, conversation_id, fact_id) do update
         set client_id = excluded.client_id, derivation_id = excluded.derivation_id,
             valid_until = excluded.valid_until, superseded_by = excluded.superseded_by`,
      [
        generation,
        event.tenant,
        event.conversation_id,
        fact.fact_id,
        fact.client_id,
        fact.fact_type,
        fact.actor,
        fact.subject,
        fact.payload,
        fact.valid_from,
        fact.valid_until,
        fact.source_id,
        fact.source_order,
        fact.derivation_id,
        fact.superseded_by,
        fact.tokens,
      ],
    );
  }
}
