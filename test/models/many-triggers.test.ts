import { keyOf, type MessageEvent, textPart, TOPICS } from '@palimpsest/events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunningDerivation } from '../../packages/derivations/src/index.js';
import {
  type DerivationCase,
  derivationCase,
  decodeEvent,
  encodeEvent,
  eventually,
  MESSAGE_TIME,
} from '../../packages/derivations/src/testing/derivation-case.js';
import { createFactExtractor } from '../../services/fact-extractor/src/fact-extractor.js';
import { createSummarizer } from '../../services/summarizer/src/summarizer.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';

const TRIGGERS = 1000;
const LATENCY_MS = 5000;
const RECORDS = 3000;
const CALLS_AT_ONCE = 8;

let db: TestDatabase;
let at: DerivationCase;
beforeEach(async () => {
  db = await freshDatabase({ migrated: true });
  const text = '{"facts":[]}';
  at = await derivationCase(db, { kind: 'answer', text, delayMs: LATENCY_MS });
});
afterEach(async () => {
  await at.close();
  await db.drop();
});

let ids = 0;
function messages(conversations: number, each: number, prefix: string): MessageEvent[] {
  return Array.from({ length: conversations * each }, (_, n) => {
    ids += 1;
    return {
      event_id: `00000000-0000-4000-9000-${String(ids).padStart(12, '0')}`,
      tenant: 'acme',
      conversation_id: `${prefix}${n % conversations}`,
      seq: null,
      occurred_at: MESSAGE_TIME,
      client_id: null,
      task_id: null,
      agent: null,
      type: 'message' as const,
      role: 'user' as const,
      content: [textPart(`Message ${n} speaks of an order.`)],
    };
  });
}
const append = (events: readonly MessageEvent[]): Promise<unknown> =>
  at.dependencies.log.append(
    TOPICS.messages,
    events.map((event) => ({ key: keyOf(event), value: Buffer.from(encodeEvent(event)) })),
  );

/** The truncator's work for the newest records, in one statement. */
async function projectLast(count: number): Promise<void> {
  const { log, pool } = at.dependencies;
  const [{ high } = { high: 0n }] = await log.bounds(TOPICS.messages);
  const rows = (await log.read(TOPICS.messages, 0, high - BigInt(count), count)).map((record) => {
    const event = decodeEvent(record) as MessageEvent;
    const entry = {
      id: event.event_id,
      kind: 'message',
      role: 'user',
      text: 'I love this order.',
      tokens: 9,
      at: MESSAGE_TIME,
    };
    return { id: event.event_id, conversation: event.conversation_id, offset: String(record.offset), entry };
  });
  await pool.query(
    `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
                                      original_tokens, entry, occurred_at)
     select 1, 'acme', r ->> 'conversation', (r ->> 'id')::uuid, (r ->> 'offset')::bigint, (r ->> 'offset')::bigint,
            'message', 9, 9, r ->> 'entry', now()
     from json_array_elements($1::json) r`,
    [JSON.stringify(rows)],
  );
  await pool.query(
    `insert into palimpsest.checkpoints (generation, consumer, topic, partition, next_offset, epoch)
     values (1, 'truncator', $1, 0, $2, 0)`,
    [TOPICS.messages, high],
  );
}

/** Milliseconds until the services have consumed records that make nothing due. */
async function consume(services: readonly RunningDerivation[], prefix: string): Promise<number> {
  const events = messages(RECORDS, 1, prefix);
  const begin = performance.now();
  await append(events);
  await eventually(async () => {
    for (const service of services) expect(await service.lag()).toBe(0n);
  });
  return performance.now() - begin;
}

const look = async (): Promise<{ connections: number; held: number }> => {
  const { rows } = await db.pool.query<{ connections: number; held: number }>(
    `select count(*)::integer as connections,
            count(*) filter (where state = 'idle in transaction' and state_change < now() - interval '1 second')::integer
              as held
     from pg_stat_activity where datname = current_database()`,
  );
  return rows[0] as { connections: number; held: number };
};

it('a thousand triggers at once and a model of five seconds leave consumers and connections alone', async () => {
  const settings = { block: 2, pollMs: 200, concurrency: CALLS_AT_ONCE };
  const services = [
    await at.start(() => createSummarizer({ ...at.dependencies, settings: { ...settings, keepLive: 0 } })),
    await at.start(() => createFactExtractor({ ...at.dependencies, settings })),
  ];
  await consume(services, 'warm');
  const floor = await consume(services, 'floor');

  await append(messages(TRIGGERS / 2, 2, 'due'));
  await projectLast(TRIGGERS);
  await eventually(async () => {
    for (const service of services) expect(await service.lag()).toBe(0n);
  });
  // Half of them summaries, half facts; the first calls are under way.
  await eventually(() => expect(at.server.open).toBeGreaterThanOrEqual(CALLS_AT_ONCE));
  const pending = await Promise.all(services.map((service) => service.pendingJobs()));
  expect(pending.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(TRIGGERS - 4 * CALLS_AT_ONCE);

  const looks: { connections: number; held: number }[] = [];
  const looking = setInterval(() => void look().then((seen) => looks.push(seen)), 100);
  const beside = await consume(services, 'beside');
  clearInterval(looking);
  looks.push(await look());

  expect(at.server.open).toBeGreaterThan(0);
  expect(Math.max(...looks.map(({ connections }) => connections))).toBeLessThan(20);
  expect(looks.map(({ held }) => held).filter((held) => held > 0)).toEqual([]);
  const ratio = floor / beside;
  process.stderr.write(`throughput beside ${TRIGGERS} triggers: ${ratio.toFixed(2)} of the floor\n`);
  // The bar is 0.9, measured on a machine of one's own; here others run beside.
  expect(ratio).toBeGreaterThan(0.4);
}, 120_000);
