import { type DerivationEvent, TOPICS } from '@palimpsest/events';
import { partitionOf } from '@palimpsest/log';
import { type DecodedRecord, RetryableError } from '@palimpsest/runtime';
import type pg from 'pg';
import { conversationKey } from './conversation-key.js';
import type { Derivation, DerivationDependencies, DerivationSettings } from './derivation-service.js';
import { recordNew } from './derived-ids.js';
import type { FoldState } from './fold-state.js';
import { checkpointOf } from './read-block.js';
import { type ConversationKey, loadStates, mapKey } from './state-rows.js';

/** What a generation takes from the derivations of all. */
export interface Projection {
  derivation: Derivation;
  generation: number;
  /** Of this generation's questions: an answer to another one is another strategy's. */
  promptHashes: ReadonlySet<string>;
  /** Partitions of `chat.messages`. */
  partitions: number;
}

/** Name of the consumer that projects what the one named `consumer` has asked for. */
export function projectionName(consumer: string): string {
  return `${consumer}.projection`;
}

export async function projectionOf(
  derivation: Derivation,
  { generation, model, log }: DerivationDependencies,
  settings: DerivationSettings,
): Promise<Projection> {
  return {
    derivation,
    generation,
    promptHashes: model.promptHashes(derivation.purpose, settings),
    partitions: await log.partitions(TOPICS.messages),
  };
}

/**
 * Projects derivation events of this generation's own questions: its prompt, about a range that its fold has cut. The
 * log carries those of all strategies, and one must not change another's views. Waits (RetryableError) until the fold
 * has come where the answer's question came from, and so knows its ranges.
 */
export async function project(
  tx: pg.PoolClient,
  projection: Projection,
  records: readonly DecodedRecord[],
): Promise<void> {
  const { derivation, generation, promptHashes } = projection;
  const type = derivation.purpose === 'summary' ? 'summary_made' : 'facts_made';
  const asked = records.flatMap(({ event }) =>
    event.type === type && promptHashes.has((event as DerivationEvent).prompt_hash)
      ? [event as DerivationEvent]
      : [],
  );
  if (asked.length === 0) return;
  await assertFolded(tx, projection, asked);
  const keys = new Map<string, ConversationKey>();
  for (const event of asked) keys.set(mapKey(keyOf(event)), keyOf(event));
  const states = await loadStates<FoldState>(tx, generation, derivation.name, [...keys.values()]);
  const own = asked.filter((event) => {
    const [from, to] = [String(event.from_order), String(event.to_order)];
    const state = states.get(mapKey(keyOf(event)));
    // An answer that was under way when its conversation was erased comes to nothing.
    if (state === undefined || state.erased) return false;
    return state.blocks.some((block) => block.from === from && block.to === to);
  });
  if (own.length === 0) return;
  const fresh = await recordNew(tx, generation, derivation.name, own);
  if (fresh.length > 0) await derivation.project(tx, fresh);
}

async function assertFolded(
  tx: pg.PoolClient,
  { derivation, generation, partitions }: Projection,
  events: readonly DerivationEvent[],
): Promise<void> {
  const seen = new Map<number, bigint>();
  for (const event of events) {
    const partition = partitionOf(conversationKey(event.tenant, event.conversation_id), partitions);
    const known = seen.get(partition) ?? -1n;
    if (event.seen_offset > known) seen.set(partition, event.seen_offset);
  }
  for (const [partition, offset] of seen) {
    const folded = await checkpointOf(tx, generation, derivation.name, TOPICS.messages, partition);
    if (folded > offset) continue;
    throw new RetryableError(
      `Derivations speak of ${TOPICS.messages}[${partition}]@${offset}, and ${derivation.name} is at ${folded} there.`,
    );
  }
}

function keyOf(event: DerivationEvent): ConversationKey {
  return { tenant: event.tenant, conversation: event.conversation_id };
}
