import {
  keyOf,
  type MessageEvent,
  type PalimpsestEvent,
  textPart,
  TOPICS,
  topicOf,
} from '@palimpsest/events';
import { createOpenAICompatibleModel, type OpenAICompatibleOptions } from '@palimpsest/llm';
import {
  type LoopbackOptions,
  type LoopbackServer,
  startLoopbackServer,
} from '@palimpsest/llm/loopback-server';
import type { LogRecord } from '@palimpsest/log';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger, createMetrics } from '@palimpsest/observability';
import type { Entry } from '@palimpsest/strategy';
import type pg from 'pg';
import type { DerivationDependencies, RunningDerivation } from '../derivation-service.js';
import { pause } from '../pause.js';

/**
 * What tests of a derivation service need around it: an embedded log with the topics, a plain codec, a loopback model
 * whose calls are counted, and a stand-in for the truncator that projects messages when told to. One generation, one
 * tenant.
 */
export interface DerivationCase {
  readonly dependencies: DerivationDependencies;
  readonly server: LoopbackServer;
  /** Starts a service that ends with the case. */
  start(create: () => Promise<RunningDerivation>): Promise<RunningDerivation>;
  /** Jobs so far, by outcome. */
  outcomes(): Promise<Record<string, number>>;
  /** Resolves when a service has nothing left to do. */
  settled(service: RunningDerivation): Promise<void>;
  close(): Promise<void>;
  /** Everything that was appended through the dependencies, by type. */
  appended(): PalimpsestEvent[];
  /** Appends messages by alternating user and assistant, or as given; returns the events. */
  say(conversation: string, texts: readonly (string | Said)[]): Promise<MessageEvent[]>;
  append(events: readonly PalimpsestEvent[]): Promise<void>;
  /** The truncator's work up to now: rows of `messages`, and its checkpoint. */
  project(): Promise<void>;
}

export interface Said {
  role: MessageEvent['role'];
  text: string;
}

/** 2024-05-01, a Wednesday. */
export const MESSAGE_TIME = Date.parse('2024-05-01T09:00:00Z');
const GENERATION = 1;
const TENANT = 'acme';

export async function derivationCase(
  db: { pool: pg.Pool; url: string },
  fallback: NonNullable<LoopbackOptions['fallback']>,
  options: Partial<OpenAICompatibleOptions> = {},
): Promise<DerivationCase> {
  const { pool } = db;
  const log = await createEmbeddedLog({ pool, listen: db.url });
  const server = await startLoopbackServer({ fallback });
  const metrics = createMetrics();
  const running: RunningDerivation[] = [];
  for (const topic of [TOPICS.messages, TOPICS.derivations, TOPICS.steps, TOPICS.tasks]) {
    await log.createTopic(topic, 1);
  }
  await pool.query('select palimpsest.create_generation_partitions($1)', [GENERATION]);
  const made: PalimpsestEvent[] = [];
  let ids = 0;

  async function append(events: readonly PalimpsestEvent[]): Promise<void> {
    for (const event of events) {
      await log.append(topicOf(event.type), [{ key: keyOf(event), value: Buffer.from(encodeEvent(event)) }]);
    }
  }

  return {
    dependencies: {
      log,
      pool,
      decode: decodeEvent,
      async append(events) {
        await append(events);
        made.push(...events);
      },
      generation: GENERATION,
      strategy: 'test@1',
      model: createOpenAICompatibleModel({
        baseUrl: server.baseUrl,
        model: 'm',
        backoffMs: 1,
        attempts: 1,
        timeoutMs: 10_000,
        ...options,
      }),
      metrics,
      logger: createLogger({ name: 'test', level: 'silent' }),
      now: () => MESSAGE_TIME,
    },
    server,
    async start(create) {
      const service = await create();
      running.push(service);
      return service;
    },
    async outcomes() {
      const { values } = await metrics.derivation_jobs_total.get();
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
    },
    settled: (service) =>
      eventually(async () => {
        const idle = (await service.lag()) === 0n && (await service.pendingJobs()) === 0;
        if (!idle || (await service.lag()) !== 0n) throw new Error('the service still has work');
      }),
    async close() {
      await Promise.all(running.splice(0).map((service) => service.stop()));
      await log.close();
      await server.close();
    },
    appended: () => made,
    append,
    async say(conversation, texts) {
      const events = texts.map((given, at): MessageEvent => {
        const said =
          typeof given === 'string'
            ? { role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), text: given }
            : given;
        ids += 1;
        return {
          event_id: `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`,
          tenant: TENANT,
          conversation_id: conversation,
          seq: null,
          occurred_at: MESSAGE_TIME,
          client_id: null,
          task_id: 'task-1',
          agent: null,
          type: 'message',
          role: said.role,
          content: [textPart(said.text)],
        };
      });
      await append(events);
      return events;
    },
    async project() {
      for (const { partition, low, high } of await log.bounds(TOPICS.messages)) {
        for (const record of await log.read(TOPICS.messages, partition, low, Number(high - low))) {
          await projectMessage(pool, record);
        }
        await pool.query(
          `insert into palimpsest.checkpoints (generation, consumer, topic, partition, next_offset, epoch)
           values ($1, 'truncator', $2, $3, $4, 0)
           on conflict (generation, consumer, topic, partition) do update set next_offset = excluded.next_offset`,
          [GENERATION, TOPICS.messages, partition, high],
        );
      }
    },
  };
}

/** Resolves as soon as `check` passes; rejects with its error after 20 seconds. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + 20_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(10);
    }
  }
}

async function projectMessage(pool: pg.Pool, record: LogRecord): Promise<void> {
  const event = decodeEvent(record);
  if (event.type !== 'message' || event.role === 'unknown') return;
  const text = event.content.map((part) => part.text ?? '').join('\n');
  const order = String(event.seq ?? record.offset);
  const tokens = Math.ceil(text.length / 3) + 4;
  const entry: Entry = {
    id: event.event_id,
    order,
    offset: String(record.offset),
    kind: 'message',
    role: event.role,
    text,
    type: 'text',
    tokens,
    original_tokens: tokens,
    at: event.occurred_at,
  };
  await pool.query(
    `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
                                      original_tokens, entry, occurred_at)
     values ($1, $2, $3, $4, $5, $6, 'message', $7, $7, $8, to_timestamp($9::float8 / 1000)) on conflict do nothing`,
    [
      GENERATION,
      event.tenant,
      event.conversation_id,
      event.event_id,
      order,
      record.offset,
      tokens,
      JSON.stringify(entry),
      event.occurred_at,
    ],
  );
}

/** The plain codec of cases: JSON, with big integers marked. Processes of their own share it. */
export function encodeEvent(event: PalimpsestEvent): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

export function decodeEvent(record: Pick<LogRecord, 'value'>): PalimpsestEvent {
  return JSON.parse((record.value as Buffer).toString('utf8'), (_key, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/u.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as PalimpsestEvent;
}
