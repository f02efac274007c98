import { createContextReader, type ContextAnswer } from '@palimpsest/context-api';
import { identifiersOf, strategyFromCanonical } from '@palimpsest/strategy';
import type { Generation } from '@palimpsest/views';
import type pg from 'pg';

/** What a context of a conversation is like. */
export interface Measured {
  tokens: number;
  slots: Record<string, number>;
  /** Of the identifiers that users and assistants named, the share that stands in the context; 1 where there are none. */
  identifiers: number;
  leftOut: number;
  stablePrefixTokens: number;
  /** Input tokens of a call with a cache that holds the stable prefix: those in it count a tenth. */
  cost: number;
}

export interface ComparedConversation {
  tenant: string;
  conversation: string;
  a: Measured;
  b: Measured;
}

export interface Comparison {
  budget: number;
  a: { generation: number; strategy: string };
  b: { generation: number; strategy: string };
  conversations: ComparedConversation[];
  /** Conversations whose fixed part does not fit into the budget under one of the two. */
  unfit: number;
}

const CACHED_PRICE = 0.1;

/**
 * Contexts of the same conversations under two generations, as an agent would be answered now. Asks no model. At most
 * `sample` conversations, spread evenly and always the same ones.
 */
export async function compareGenerations(
  pool: pg.Pool,
  [a, b]: [Generation, Generation],
  { budget, sample, now }: { budget: number; sample: number; now: number },
): Promise<Comparison> {
  const { rows } = await pool.query<{ tenant: string; conversation_id: string }>(
    `select tenant, conversation_id from palimpsest.context_views x
     join palimpsest.context_views y using (tenant, conversation_id)
     where x.generation = $1 and y.generation = $2
     order by md5(tenant || '/' || conversation_id) limit $3`,
    [a.generation, b.generation, sample],
  );
  const readers = [a, b].map((generation) => readerOf(pool, generation, now));
  const comparison: Comparison = {
    budget,
    a: { generation: a.generation, strategy: labelOf(a) },
    b: { generation: b.generation, strategy: labelOf(b) },
    conversations: [],
    unfit: 0,
  };
  for (const { tenant, conversation_id: conversation } of rows) {
    const named = await namedIn(pool, b.generation, tenant, conversation);
    const [first, second] = await Promise.all(
      readers.map(async (read) => measureAnswer(await read({ tenant, conversation, budget }), named)),
    );
    if (first === null || second === null || first === undefined || second === undefined) {
      comparison.unfit += 1;
    } else comparison.conversations.push({ tenant, conversation, a: first, b: second });
  }
  return comparison;
}

/** Means over the conversations, by metric; shares are means of shares. */
export function meansOf(conversations: readonly ComparedConversation[], side: 'a' | 'b'): Measured {
  const mean = (of: (measured: Measured) => number): number =>
    conversations.length === 0
      ? 0
      : conversations.reduce((sum, one) => sum + of(one[side]), 0) / conversations.length;
  const slots: Record<string, number> = {};
  for (const slot of new Set(conversations.flatMap((one) => Object.keys(one[side].slots)))) {
    slots[slot] = mean((measured) => measured.slots[slot] ?? 0);
  }
  return {
    tokens: mean((one) => one.tokens),
    slots,
    identifiers: mean((one) => one.identifiers),
    leftOut: mean((one) => one.leftOut),
    stablePrefixTokens: mean((one) => one.stablePrefixTokens),
    cost: mean((one) => one.cost),
  };
}

function labelOf({ strategyName, strategyVersion }: Generation): string {
  return `${strategyName}@${strategyVersion}`;
}

type Asked = { tenant: string; conversation: string; budget: number };

function readerOf(
  pool: pg.Pool,
  generation: Generation,
  now: number,
): (asked: Asked) => Promise<ContextAnswer> {
  const label = labelOf(generation);
  const of = {
    generation: generation.generation,
    label,
    strategy: strategyFromCanonical(generation.strategy),
  };
  const only = async () => of;
  const reader = createContextReader({
    pool,
    strategies: { seen: only, current: only, labelled: only },
    now: () => now,
  });
  return (asked) => reader.read({ ...asked, format: 'openai', strategy: label });
}

interface Body {
  messages: unknown[];
  tokens: { total: number; by_slot: Record<string, number> };
  left_out: unknown[];
  stable_prefix_tokens: number;
}

/** Null where there is no context within the budget. */
function measureAnswer(answer: ContextAnswer, named: ReadonlySet<string>): Measured | null {
  if (!('body' in answer)) return null;
  const { messages, tokens, left_out, stable_prefix_tokens } = answer.body as Body;
  const text = JSON.stringify(messages);
  const kept = [...named].filter((name) => text.includes(name)).length;
  return {
    tokens: tokens.total,
    slots: tokens.by_slot,
    identifiers: named.size === 0 ? 1 : kept / named.size,
    leftOut: left_out.length,
    stablePrefixTokens: stable_prefix_tokens,
    cost: tokens.total - stable_prefix_tokens * (1 - CACHED_PRICE),
  };
}

async function namedIn(
  pool: pg.Pool,
  generation: number,
  tenant: string,
  conversation: string,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ text: string | null }>(
    `select entry::json ->> 'text' as text from palimpsest.messages
     where generation = $1 and tenant = $2 and conversation_id = $3 and kind = 'message'
       and entry::json ->> 'role' in ('user', 'assistant')`,
    [generation, tenant, conversation],
  );
  return new Set(
    rows.flatMap(({ text }) =>
      // As they stand in JSON, where the context is looked through.
      identifiersOf(text ?? '').map((name) => JSON.stringify(name).slice(1, -1)),
    ),
  );
}
