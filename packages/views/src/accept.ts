import { TOPICS } from '@palimpsest/events';
import type pg from 'pg';
import { AcceptConflictError, type Conflict, conflictsInside } from './accept-conflict.js';
import type { Candidate } from './candidate.js';
import { formatPosition } from './position.js';

export interface Accepted {
  eventId: string;
  position: string;
  /** It had been accepted before, or stands earlier in the same batch. */
  duplicate: boolean;
}

/** Appends new events of one topic to the log, in order, and returns their places once they are durable. */
export type AppendToLog<C extends Candidate> = (
  topic: string,
  candidates: readonly C[],
) => Promise<readonly { partition: number; offset: bigint }[]>;

/** Waits for another batch of the same conversation at most this long; its append must be done well before. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Accepts a batch of one tenant, all or nothing: the answer stands in the order given, one entry per candidate.
 * Throws AcceptConflictError where an id, a place or the kind of order is taken, or what `append` throws; then
 * nothing was accepted.
 *
 * `append` is called inside the transaction, before the commit. A crash between the two leaves events in the log that
 * are not on record here, and the producer's retry appends them again: consumers recognize an event by its id.
 * Batches of one conversation pass one after the other, so the log has them in the order of acceptance. While it
 * waits for `append` it holds a connection of `pool`: the log must not depend on that same pool.
 */
export async function acceptBatch<C extends Candidate>(
  pool: pg.Pool,
  tenant: string,
  candidates: readonly C[],
  append: AppendToLog<C>,
): Promise<Accepted[]> {
  const inside = conflictsInside(candidates);
  if (inside.length > 0) throw new AcceptConflictError(inside);
  const firsts = firstOfEachId(candidates);
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await claimConversations(client, tenant, candidates);
    const fresh = await claimEvents(client, tenant, firsts);
    const known = await readKnown(client, tenant, candidates, firsts, fresh);
    const places = await appendFresh(client, tenant, fresh, append);
    await client.query('commit');
    return answer(candidates, fresh, known, places);
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.release(broken);
  }
}

function firstOfEachId<C extends Candidate>(candidates: readonly C[]): Map<string, C> {
  const firsts = new Map<string, C>();
  for (const candidate of candidates) {
    if (!firsts.has(candidate.eventId)) firsts.set(candidate.eventId, candidate);
  }
  return firsts;
}

/**
 * Locks the conversations of the batch, in one order for everybody, and settles how each is ordered. The lock is what
 * serializes batches of one conversation; with ids sorted as well, no two batches can wait for each other.
 */
async function claimConversations(
  client: pg.PoolClient,
  tenant: string,
  candidates: readonly Candidate[],
): Promise<void> {
  const bySeq = new Map<string, boolean>();
  for (const { topic, conversationId, seq } of candidates) {
    if (topic === TOPICS.messages && !bySeq.has(conversationId)) bySeq.set(conversationId, seq !== null);
  }
  if (bySeq.size === 0) return;
  const { rows } = await client.query<{ conversation_id: string; ordered_by_seq: boolean }>({
    name: 'claim-conversations',
    text: `insert into palimpsest.accepted_conversations as known (tenant, conversation_id, ordered_by_seq)
           select $1, asked.* from unnest($2::text[], $3::boolean[]) as asked (id, by_seq) order by asked.id
           on conflict (tenant, conversation_id) do update set ordered_by_seq = known.ordered_by_seq
           returning conversation_id, ordered_by_seq`,
    values: [tenant, [...bySeq.keys()], [...bySeq.values()]],
  });
  const settled = new Map(rows.map((row) => [row.conversation_id, row.ordered_by_seq]));
  const conflicts = candidates.flatMap(({ topic, conversationId, seq, eventId }, index): Conflict[] => {
    if (topic !== TOPICS.messages || settled.get(conversationId) === (seq !== null)) return [];
    const rule =
      seq === null ? 'carries seq, so every event of it must' : 'carries no seq, so no event of it may';
    return [{ index, field: 'seq', eventId, message: `the first event of this conversation ${rule}` }];
  });
  if (conflicts.length > 0) throw new AcceptConflictError(conflicts);
}

/** Puts the new events on record and returns them in the order given; their places follow after the append. */
async function claimEvents<C extends Candidate>(
  client: pg.PoolClient,
  tenant: string,
  firsts: ReadonlyMap<string, C>,
): Promise<Map<string, C>> {
  const list = [...firsts.values()];
  const { rows } = await client.query<{ event_id: string }>({
    name: 'claim-events',
    text: `insert into palimpsest.accepted_events
             (tenant, event_id, conversation_id, seq, digest, topic, partition, "offset")
           select $1, asked.*, -1, -1
             from unnest($2::uuid[], $3::text[], $4::bigint[], $5::bytea[], $6::text[])
               as asked (event_id, conversation_id, seq, digest, topic)
            order by asked.event_id
           on conflict do nothing
           returning event_id`,
    values: [
      tenant,
      list.map((one) => one.eventId),
      list.map((one) => one.conversationId),
      list.map((one) => (one.topic === TOPICS.messages ? one.seq : null)),
      list.map((one) => one.digest),
      list.map((one) => one.topic),
    ],
  });
  const taken = new Set(rows.map((row) => row.event_id));
  return new Map([...firsts].filter(([eventId]) => taken.has(eventId)));
}

/** Positions of the events that were on record before; throws where one of them differs or a place is taken. */
async function readKnown<C extends Candidate>(
  client: pg.PoolClient,
  tenant: string,
  candidates: readonly C[],
  firsts: ReadonlyMap<string, C>,
  fresh: ReadonlyMap<string, C>,
): Promise<Map<string, string>> {
  const positions = new Map<string, string>();
  const refused = [...firsts.values()].filter((one) => !fresh.has(one.eventId));
  if (refused.length === 0) return positions;
  const { rows } = await client.query<{
    event_id: string;
    digest: Buffer;
    topic: string;
    partition: number;
    offset: string;
  }>({
    name: 'read-known-events',
    text: `select event_id, digest, topic, partition, "offset" from palimpsest.accepted_events
            where tenant = $1 and event_id = any($2::uuid[])`,
    values: [tenant, refused.map((one) => one.eventId)],
  });
  const known = new Map(rows.map((row) => [row.event_id, row]));
  const conflicts: Conflict[] = [];
  const places = refused.filter((one) => !known.has(one.eventId));
  for (const one of refused) {
    const row = known.get(one.eventId);
    if (row === undefined) continue;
    if (row.digest.equals(one.digest)) {
      positions.set(one.eventId, formatPosition(row.partition, BigInt(row.offset), row.topic));
      continue;
    }
    conflicts.push({
      index: candidates.indexOf(one),
      field: 'event_id',
      eventId: one.eventId,
      message: `event ${one.eventId} was accepted before with other content`,
    });
  }
  if (places.length > 0) conflicts.push(...(await takenPlaces(client, tenant, candidates, places)));
  if (conflicts.length > 0) throw new AcceptConflictError(conflicts);
  return positions;
}

async function takenPlaces<C extends Candidate>(
  client: pg.PoolClient,
  tenant: string,
  candidates: readonly C[],
  places: readonly C[],
): Promise<Conflict[]> {
  const { rows } = await client.query<{ conversation_id: string; seq: string; event_id: string }>(
    `select known.conversation_id, known.seq, known.event_id
       from unnest($2::text[], $3::bigint[]) as asked (conversation_id, seq)
       join palimpsest.accepted_events known using (conversation_id, seq)
      where known.tenant = $1 and known.seq is not null`,
    [tenant, places.map((one) => one.conversationId), places.map((one) => one.seq)],
  );
  const holders = new Map(rows.map((row) => [JSON.stringify([row.conversation_id, row.seq]), row.event_id]));
  return places.map((one) => {
    const holder = holders.get(JSON.stringify([one.conversationId, String(one.seq)]));
    return {
      index: candidates.indexOf(one),
      field: 'seq',
      eventId: one.eventId,
      message: `seq ${one.seq} of this conversation is taken by event ${holder ?? 'of another request'}`,
    };
  });
}

/** Appends topic by topic, in the order given, then records the places. */
async function appendFresh<C extends Candidate>(
  client: pg.PoolClient,
  tenant: string,
  fresh: ReadonlyMap<string, C>,
  append: AppendToLog<C>,
): Promise<Map<string, string>> {
  const byTopic = new Map<string, C[]>();
  for (const one of fresh.values()) {
    const group = byTopic.get(one.topic);
    if (group === undefined) byTopic.set(one.topic, [one]);
    else group.push(one);
  }
  const positions = new Map<string, string>();
  const rows: { eventId: string; partition: number; offset: bigint }[] = [];
  for (const [topic, group] of byTopic) {
    const places = await append(topic, group);
    if (places.length !== group.length) {
      throw new Error(`Appending ${group.length} events to ${topic} returned ${places.length} places.`);
    }
    for (const [at, one] of group.entries()) {
      const { partition, offset } = places[at] as { partition: number; offset: bigint };
      positions.set(one.eventId, formatPosition(partition, offset, topic));
      rows.push({ eventId: one.eventId, partition, offset });
    }
  }
  if (rows.length === 0) return positions;
  await client.query({
    name: 'record-places',
    text: `update palimpsest.accepted_events known set partition = placed.partition, "offset" = placed.place
             from unnest($2::uuid[], $3::integer[], $4::bigint[]) as placed (event_id, partition, place)
            where known.tenant = $1 and known.event_id = placed.event_id`,
    values: [
      tenant,
      rows.map((row) => row.eventId),
      rows.map((row) => row.partition),
      rows.map((row) => row.offset),
    ],
  });
  return positions;
}

function answer(
  candidates: readonly Candidate[],
  fresh: ReadonlyMap<string, Candidate>,
  known: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, string>,
): Accepted[] {
  const unseen = new Set(fresh.keys());
  return candidates.map(({ eventId }) => ({
    eventId,
    position: (places.get(eventId) ?? known.get(eventId)) as string,
    duplicate: !unseen.delete(eventId),
  }));
}
