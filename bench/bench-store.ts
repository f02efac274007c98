import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCodec,
  EVENT_TYPES,
  type EventCodec,
  keyOf,
  type PalimpsestEvent,
  textPart,
  TOPICS,
} from '@palimpsest/events';
import { createEmbeddedLog, type EmbeddedLog } from '@palimpsest/log-embedded';
import { startPostgres } from '@palimpsest/postgres-embedded';
import { migrate } from '@palimpsest/views';
import pg from 'pg';
import { chatFixture } from './fixtures.js';

/** A Postgres of its own with the schema, the embedded log and a codec; gone afterwards. */
export interface BenchStore {
  url: string;
  pool: pg.Pool;
  log: EmbeddedLog;
  codec: EventCodec;
  close(): Promise<void>;
}

export async function openBenchStore(): Promise<BenchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const postgres = await startPostgres({ dataFolder: folder });
  const pool = new pg.Pool({ connectionString: postgres.url(), max: 20 });
  const logPool = new pg.Pool({ connectionString: postgres.url(), max: 8 });
  // Idle connections end with the server.
  for (const one of [pool, logPool]) one.on('error', () => undefined);
  await migrate(pool);
  const log = await createEmbeddedLog({ pool: logPool, listen: postgres.url() });
  const ids = new Map(EVENT_TYPES.map((type, index) => [type, index + 1]));
  const codec = createCodec({ ids, schemaById: () => Promise.reject(new Error('no other writer')) });
  return {
    url: postgres.url(),
    pool,
    log,
    codec,
    async close() {
      await log.close();
      await pool.end();
      await logPool.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Chat in three languages, to cut messages from. */
export function chatText(): string {
  return (['en', 'ru', 'uk'] as const).map(chatFixture).join('\n');
}

/**
 * Events of `conversations` that go on side by side: a user's message, a call, its JSON result, an answer, over and
 * over. Texts are cut from `text` by a fixed generator, so every run has the same bytes, about 900 of text each.
 */
export function chatEvents(count: number, conversations: number, text: string): PalimpsestEvent[] {
  const random = mulberry32(7);
  const events: PalimpsestEvent[] = [];
  const turns = Array.from({ length: conversations }, () => 0);
  for (let index = 0; index < count; index += 1) {
    const conversation = Math.floor(random() * conversations);
    const turn = turns[conversation] ?? 0;
    turns[conversation] = turn + 1;
    const start = Math.floor(random() * (text.length - 1200));
    const piece = text.slice(start, start + 300 + Math.floor(random() * 600)).toWellFormed();
    const envelope = {
      event_id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      tenant: 'bench',
      conversation_id: `conversation-${conversation}`,
      seq: null,
      occurred_at: 1_790_000_000_000 + index * 20,
      client_id: null,
      task_id: null,
      agent: 'bench',
    };
    const call_id = `call-${conversation}-${Math.floor(turn / 4)}`;
    if (turn % 4 === 1) {
      events.push({
        ...envelope,
        type: 'tool_call',
        call_id,
        tool: 'search',
        arguments: JSON.stringify({ q: piece.slice(0, 60) }),
        step_id: null,
      });
    } else if (turn % 4 === 2) {
      const content = [textPart(JSON.stringify({ id: index, note: piece, tags: ['a', 'b'] }))];
      events.push({
        ...envelope,
        type: 'tool_result',
        call_id,
        content,
        content_type: 'application/json',
        is_error: false,
      });
    } else {
      events.push({
        ...envelope,
        type: 'message',
        role: turn % 4 === 0 ? 'user' : 'assistant',
        content: [textPart(piece)],
      });
    }
  }
  return events;
}

/** Appends events to chat.messages, `partitions` of it. */
export async function fillLog(
  store: BenchStore,
  events: readonly PalimpsestEvent[],
  partitions: number,
): Promise<void> {
  await store.log.createTopic(TOPICS.messages, partitions);
  for (let start = 0; start < events.length; start += 1000) {
    const chunk = events.slice(start, start + 1000);
    await store.log.append(
      TOPICS.messages,
      chunk.map((event) => ({ key: keyOf(event), value: store.codec.encode(event) })),
    );
  }
}

/** Numbers from 0 to 1, the same for a seed in every run. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
