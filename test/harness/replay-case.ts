import { randomUUID } from 'node:crypto';
import { type ChatEvent, createCodec, EVENT_TYPES, type EventCodec, TOPICS } from '@palimpsest/events';
import { createExtractiveModel } from '@palimpsest/llm';
import type { EventLog } from '@palimpsest/log';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { openPool } from '@palimpsest/postgres';
import { parseStrategy, type Strategy } from '@palimpsest/strategy';
import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import type { BuildParts } from '../../packages/cli/src/replay/build-generation.js';
import {
  type FollowedGenerations,
  followGenerations,
} from '../../packages/service-host/src/follow-generations.js';
import { createFactExtractorFor } from '../../services/fact-extractor/src/fact-extractor.js';
import { createSummarizerFor } from '../../services/summarizer/src/summarizer.js';
import { createTruncator } from '../../services/truncator/src/truncator.js';
import { appendEvents } from '../../packages/service-host/src/append-events.js';
import { counter } from './fold-in-memory.js';
import { freshDatabase, type TestDatabase } from './postgres.js';

type LanguageModel = BuildParts['model'];

/** A store with a live generation, a log, and the services that follow it, all in this process. */
export interface ReplayCase {
  database: TestDatabase;
  pool: pg.Pool;
  log: EventLog;
  codec: EventCodec;
  parts: BuildParts;
  append(events: readonly ChatEvent[]): Promise<void>;
  /** Starts the services on generations that are live or stand by. */
  startServices(): Promise<void>;
  stopServices(): Promise<void>;
  /** Resolves when the services have nothing left to do. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const PARTITIONS = 2;

export function namedStrategy(yaml: string): Strategy & { name: string } {
  const strategy = parseStrategy(yaml, 'test.yaml');
  return { ...strategy, name: strategy.settings.name };
}

export async function replayCase(
  live: string,
  given: { model?: LanguageModel; log?: EventLog } = {},
): Promise<ReplayCase> {
  const database = await freshDatabase({ migrated: true });
  const { pool } = database;
  const log = given.log ?? (await createEmbeddedLog({ pool, listen: database.url, pollMs: 200 }));
  for (const topic of Object.values(TOPICS)) {
    await log.createTopic(topic, PARTITIONS);
    await log.createTopic(`${topic}.dead-letters`, 1);
  }
  const codec = createCodec({
    ids: new Map(EVENT_TYPES.map((type, index) => [type, index + 1])),
    schemaById: () => Promise.reject(new Error('no other writer')),
  });
  await ensureLiveGeneration(pool, namedStrategy(live));
  const logger = createLogger({ name: 'replay', level: 'silent' });
  const model = given.model ?? createExtractiveModel({ countTokens: (text) => counter.count(text) });
  // As in deployments, a replay has connections of its own: services that are held up by a switch need theirs.
  const own = openPool(database.url, 16);
  const served = openPool(database.url, 16);
  const parts: BuildParts = { pool: own.pool, log, codec, model, logger };
  const services: FollowedGenerations[] = [];
  const stopServices = async (): Promise<void> => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  };
  return {
    database,
    pool,
    log,
    codec,
    parts,
    append: (events) => appendEvents(log, codec)(events),
    async startServices() {
      const decode = (record: Parameters<Parameters<typeof createTruncator>[0]['decode']>[0]) =>
        codec.decode(record.value as Buffer, record.headers);
      const shared = { pool: served.pool, log, decode, logger, metrics: createMetrics(), pollMs: 20 };
      const derivations = { ...shared, model, append: appendEvents(log, codec) };
      for (const start of [
        (of: object) => createTruncator({ ...shared, ...of } as never),
        (of: object) => createSummarizerFor({ ...derivations, ...of } as never),
        (of: object) => createFactExtractorFor({ ...derivations, ...of } as never),
      ]) {
        services.push(await followGenerations({ ...shared, start }));
      }
    },
    stopServices,
    async settled() {
      for (let quiet = 0; quiet < 2; ) {
        const lags = await Promise.all(services.map((service) => service.lag()));
        const jobs = await Promise.all(services.map((service) => service.pendingJobs()));
        quiet = lags.every((lag) => lag === 0n) && jobs.every((count) => count === 0) ? quiet + 1 : 0;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async close() {
      await stopServices();
      await log.close();
      await own.close();
      await served.close();
      await database.drop();
    },
  };
}

/** All that a generation holds, as text; without its number, and the time at which a row was written. */
export async function generationText(pool: pg.Pool, generation: number): Promise<string> {
  const tables = await Promise.all(
    [
      `select tenant, conversation_id, event_id, ord, "offset", kind, tokens, original_tokens, entry, occurred_at
       from palimpsest.messages where generation = $1 order by 1, 2, 3`,
      `select tenant, conversation_id, artifact_id, mime, size_bytes, content
       from palimpsest.artifacts where generation = $1 order by 1, 2, 3`,
      `select tenant, conversation_id, partition, "offset", state
       from palimpsest.context_views where generation = $1 order by 1, 2`,
      `select tenant, conversation_id, event_id, "offset", reason
       from palimpsest.conflicts where generation = $1 order by 1, 2, 3`,
      `select tenant, conversation_id, from_order, to_order, seen_offset, event_id, text, carried, tokens, model, prompt_hash
       from palimpsest.summaries where generation = $1 order by 1, 2, 3`,
      `select tenant, conversation_id, fact_id, client_id, fact_type, actor, subject, payload, valid_from, valid_until,
         source_id, source_order, derivation_id, superseded_by, tokens
       from palimpsest.facts where generation = $1 order by 1, 2, 3`,
    ].map((sql) => pool.query(sql, [generation])),
  );
  return JSON.stringify(tables.map((table) => table.rows));
}

/** Conversations that take turns: a question that states a fact, a call, its long JSON result, an answer. */
export function talk(conversations: number, turns: number, from = 0): ChatEvent[] {
  const events: ChatEvent[] = [];
  for (let turn = from; turn < from + turns; turn += 1) {
    for (let number = 0; number < conversations; number += 1) {
      const base = {
        tenant: number % 3 === 0 ? 'shop' : 'acme',
        conversation_id: `c${number}`,
        seq: null,
        occurred_at: 1_790_000_000_000 + turn * 60_000,
        client_id: null,
        task_id: null,
        agent: number % 2 === 0 ? 'support' : 'sales',
      };
      const rows = Array.from({ length: 60 }, (_, n) => ({ id: `ORD-${turn}${n}`, total: n * 1.5 }));
      for (const body of [
        {
          type: 'message',
          role: 'user',
          content: said(`My order is ORD-${turn}-${number}. I prefer tea ${turn}.`),
        },
        {
          type: 'tool_call',
          call_id: `k${turn}`,
          tool: 'get_order',
          arguments: `{"turn":${turn}}`,
          step_id: null,
        },
        {
          type: 'tool_result',
          call_id: `k${turn}`,
          content: said(JSON.stringify({ rows })),
          content_type: 'application/json',
          is_error: false,
        },
        { type: 'message', role: 'assistant', content: said(`It was sent on 2026-0${1 + (turn % 9)}-11.`) },
      ]) {
        events.push({ ...base, event_id: randomUUID(), ...body } as unknown as ChatEvent);
      }
    }
  }
  return events;
}

function said(text: string): object[] {
  return [{ kind: 'text', text, mime: null, data: null, url: null, signature: null }];
}
