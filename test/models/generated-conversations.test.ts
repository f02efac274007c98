import { createHash } from 'node:crypto';
import type { ChatEvent, SummaryMadeEvent } from '@palimpsest/events';
import { textPart } from '@palimpsest/events';
import { createExtractiveModel, type LanguageModel, type SourceMessage } from '@palimpsest/llm';
import { inTransaction } from '@palimpsest/postgres';
import { identifiersOf } from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  emptyFoldState,
  foldChatEvent,
  type FoldState,
  type Trigger,
} from '../../packages/derivations/src/index.js';
import { askForFacts } from '../../services/fact-extractor/src/ask-for-facts.js';
import { askForSummary } from '../../services/summarizer/src/ask-for-summary.js';
import { projectSummaries } from '../../services/summarizer/src/project-summaries.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';

const CONVERSATIONS = 500;
const SEED = 7;
const signal = new AbortController().signal;
const count = (text: string): number => tokenCounter(null).count(text);
const offline = createExtractiveModel({ countTokens: count });

/** mulberry32 */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof randomOf>;

const SENTENCES: ((id: string, r: Random) => string)[] = [
  (id) => `My order number is ${id}, and it has not come yet.`,
  (_, r) => `I paid ${10 + r(900)}.${10 + r(89)} EUR for it on 2026-0${1 + r(9)}-1${r(9)}.`,
  (id) => `I will send the file /srv/data/${id}.csv to anna${id.length}@example.com by Friday.`,
  () => 'I prefer e-mail and never want to be called.',
  (id) => `Мой номер заказа ${id}, посылка ещё не пришла.`,
  (_, r) => `Я заплатил ${100 + r(900)} ₽ и хочу вернуть деньги.`,
  (id) => `Моє замовлення ${id}, напишіть на +38067${1_000_000 + id.length * 7919}.`,
  () => 'Я надаю перевагу пошті, не телефонуйте мені більше.',
  () => 'Thank you, that is all I wanted to know about it.',
];

interface Conversation {
  events: ChatEvent[];
  settings: { block: number; keepLive: number };
  cap: number;
}

function conversationOf(number: number, random: Random): Conversation {
  const base = {
    tenant: 't',
    conversation_id: `c${number}`,
    client_id: null,
    task_id: null,
    agent: null,
  };
  const withSeq = random(3) === 0;
  const length = 12 + random(70);
  const events = Array.from({ length }, (_, n): ChatEvent => {
    const late = random(10) === 0 ? random(6) * 10 : 0;
    const envelope = {
      ...base,
      event_id: `${String(number).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`,
      seq: withSeq ? BigInt(Math.max(0, n * 10 - late) + (late > 0 ? 1 + random(8) : 0)) : null,
      occurred_at: n * 1000,
    };
    const pinned = random(30);
    if (n > 2 && pinned < 2) {
      const of = `${envelope.event_id.slice(0, 24)}${String(random(n)).padStart(12, '0')}`;
      return { ...envelope, seq: null, type: pinned === 0 ? 'pin' : 'unpin', message_id: of };
    }
    const said = Array.from({ length: 1 + random(3) }, () => {
      const sentence = SENTENCES[random(SENTENCES.length)] as (typeof SENTENCES)[number];
      return sentence(`${['ORD', 'EX', 'AB'][random(3)]}-${1000 + random(9000)}`, random);
    });
    const role = n % 2 === 0 ? 'user' : 'assistant';
    return { ...envelope, type: 'message', role, content: [textPart(said.join(' '))] };
  });
  return { events, settings: { block: 3 + random(8), keepLive: random(6) }, cap: 60 + random(200) };
}

/** The fold over a log; `again` says how often the event at a place is delivered, `restart` whether the state is reloaded. */
function foldOf(
  { events, settings }: Conversation,
  again: (at: number) => number = () => 1,
  restart: (at: number) => boolean = () => false,
): { triggers: Trigger[]; state: FoldState } {
  let state = emptyFoldState();
  const triggers = events.flatMap((event, at) =>
    Array.from({ length: again(at) }).flatMap(() => {
      if (restart(at)) state = JSON.parse(JSON.stringify(state)) as FoldState;
      return foldChatEvent(state, event, BigInt(at), settings);
    }),
  );
  return { triggers, state };
}

const orderOf = (event: ChatEvent, at: number): bigint => event.seq ?? BigInt(at);
function sourceOf({ events }: Conversation, trigger: Trigger): SourceMessage[] {
  return events
    .map((event, at) => ({ event, at, order: orderOf(event, at) }))
    .filter(
      ({ event, at, order }) =>
        event.type === 'message' &&
        trigger.from <= order &&
        order <= trigger.to &&
        BigInt(at) <= trigger.seenOffset &&
        !trigger.pinned.includes(event.event_id),
    )
    .toSorted((a, b) => Number(a.order - b.order))
    .map(({ event }) => ({
      id: event.event_id,
      kind: 'message',
      role: (event as { role: 'user' | 'assistant' }).role,
      text: (event as { content: { text: string }[] }).content[0]?.text ?? '',
      tool: null,
      at: event.occurred_at,
    }));
}

/** A model that forgets, rambles and repeats: half a sentence of the source, sometimes many times over. */
function forgetful(random: Random): LanguageModel {
  return {
    ...offline,
    async summarize(request, aborted) {
      const answer = await offline.summarize({ ...request, maxTokens: 1000 }, aborted);
      const words = answer.text.split(' ');
      const part = words.slice(0, 3 + random(words.length)).join(' ');
      const text = random(4) === 0 ? `${part}. `.repeat(40) : `${part}.`;
      return { ...answer, text, carried: [] };
    },
  };
}

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  for (const generation of [1, 2])
    await db.pool.query('select palimpsest.create_generation_partitions($1)', [generation]);
});
afterAll(() => db.drop());

async function rowsAfter(generation: number, events: readonly SummaryMadeEvent[]): Promise<unknown[]> {
  await inTransaction(db.pool, (tx) => projectSummaries(tx, generation, events, count));
  const { rows } = await db.pool.query(
    `select from_order, to_order, seen_offset, text, carried from palimpsest.summaries
     where generation = $1 and conversation_id = $2 order by from_order`,
    [generation, events[0]?.conversation_id],
  );
  return rows;
}

describe(`${CONVERSATIONS} generated conversations`, () => {
  const random = randomOf(SEED);
  const conversations = Array.from({ length: CONVERSATIONS }, (_, number) => conversationOf(number, random));

  it('are covered: each message lies in one block, waits, or is pinned; blocks do not overlap', () => {
    for (const conversation of conversations) {
      const { state } = foldOf(conversation);
      const blocks = state.blocks.map(({ from, to }) => [BigInt(from), BigInt(to)] as const);
      for (const [at, [from, to]] of blocks.entries()) {
        expect(to).toBeGreaterThanOrEqual(from);
        expect(from).toBe(at === 0 ? 0n : (blocks[at - 1]?.[1] ?? 0n) + 1n);
      }
      const waiting = new Set(state.waiting.map(({ id }) => id));
      for (const [at, event] of conversation.events.entries()) {
        if (event.type !== 'message') continue;
        const order = orderOf(event, at);
        const inside = blocks.filter(([from, to]) => from <= order && order <= to).length;
        expect(inside + (waiting.has(event.event_id) ? 1 : 0)).toBe(1);
      }
    }
  });

  it('make the same questions however often and in whatever batches their events come', () => {
    for (const conversation of conversations) {
      const whole = foldOf(conversation);
      const other = foldOf(
        conversation,
        () => 1 + random(2),
        () => random(3) === 0,
      );
      expect(other.triggers).toEqual(whole.triggers);
      expect(JSON.stringify(other.state)).toBe(JSON.stringify(whole.state));
    }
  });

  it('keep summaries under their cap and identifiers findable, whatever the model forgets, in any order of arrival', async () => {
    let named = 0;
    let found = 0;
    for (const [number, conversation] of conversations.entries()) {
      const model = number % 2 === 0 ? offline : forgetful(random);
      const made: SummaryMadeEvent[] = [];
      for (const trigger of foldOf(conversation).triggers) {
        const messages = sourceOf(conversation, trigger);
        if (messages.length < 2) continue;
        const request = { messages, language: null, maxTokens: conversation.cap };
        const sourceTokens = messages.reduce((sum, { text }) => sum + count(text), 0) * 2;
        const result = await askForSummary({ model, request, sourceTokens, count, calls: [] }, signal);
        if (!result.ok) continue; // the messages stay as they are
        expect(count(result.text)).toBeLessThanOrEqual(conversation.cap);
        const facts = await askForFacts(offline, { ...request, timeZone: null }, [], signal);
        const memory = [
          result.text,
          ...result.carried,
          ...(facts.ok ? facts.facts.map(({ payload }) => payload) : []),
        ].join('\n');
        for (const identifier of messages.flatMap(({ text }) => identifiersOf(text))) {
          named += 1;
          if (memory.includes(identifier)) found += 1;
        }
        made.push(summaryEvent(conversation, trigger, result.text, result.carried));
      }
      if (number % 5 !== 0 || made.length === 0) continue;
      const shuffled = [...made, ...made].toSorted(
        (a, b) => hashOf(`${SEED}${a.event_id}`) - hashOf(`${SEED}${b.event_id}`),
      );
      expect(await rowsAfter(2, shuffled)).toEqual(await rowsAfter(1, made));
    }
    expect(named).toBeGreaterThan(5000);
    expect(found / named).toBeGreaterThanOrEqual(0.98);
  }, 120_000);
});

function summaryEvent(
  { events }: Conversation,
  trigger: Trigger,
  text: string,
  carried: string[],
): SummaryMadeEvent {
  const id = createHash('sha256')
    .update(`${trigger.from} ${trigger.seenOffset} ${events[0]?.event_id}`)
    .digest('hex');
  return {
    ...(events[0] as ChatEvent),
    type: 'summary_made',
    event_id: `${id.slice(0, 8)}-0000-4000-8000-${id.slice(8, 20)}`,
    from_order: trigger.from,
    to_order: trigger.to,
    seen_offset: trigger.seenOffset,
    provider: 'p',
    model: 'm',
    prompt_hash: 'p',
    input_hash: 'i',
    stop_reason: 'stop',
    usage: null,
    text,
    carried,
    language: null,
  } as SummaryMadeEvent;
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
