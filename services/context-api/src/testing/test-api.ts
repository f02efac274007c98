import { createCodec, EVENT_TYPES, type EventCodec, TOPICS } from '@palimpsest/events';
import { createLogger, createMetrics } from '@palimpsest/observability';
import { createKey, type Scope } from '@palimpsest/views';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type pg from 'pg';
import { freshDatabase } from '../../../../test/harness/postgres.js';
import type { ContextAnswer, ContextRequest } from '../context-reader.js';
import { type ContextApi, createContextApi } from '../create-context-api.js';
import type { ContextApiOptions } from '../options.js';
import { MemoryLog } from './memory-log.js';

export interface TestApi {
  api: ContextApi;
  pool: pg.Pool;
  log: MemoryLog;
  codec: EventCodec;
  /** What the log of the service said, line by line. */
  said: string[];
  /** Answers of the context reader, by conversation; what was asked of it. */
  contexts: Map<string, ContextAnswer | (() => ContextAnswer)>;
  asked: ContextRequest[];
  /** Secret of a key with all scopes, or with those given. */
  key(tenant: string, scopes?: Scope[]): Promise<string>;
  /** A request with tenant acme's key, or the one given. */
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  post(events: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  send(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** Moves the checkpoint of the views. */
  fold(partition: number, nextOffset: bigint): Promise<void>;
  close(): Promise<void>;
}

/** The service on a database of its own, with a log in memory and contexts made up. Generation 1 is live. */
export async function startTestApi(options: Partial<ContextApiOptions> = {}): Promise<TestApi> {
  const db = await freshDatabase({ migrated: true });
  await db.pool.query('select palimpsest.create_generation_partitions(1)');
  const log = new MemoryLog();
  for (const topic of Object.values(TOPICS)) await log.createTopic(topic, 4);
  const codec = createCodec({
    ids: new Map(EVENT_TYPES.map((type, at) => [type, at + 1])),
    schemaById: (id) => Promise.reject(new Error(`No schema ${id}.`)),
  });
  const said: string[] = [];
  const contexts: TestApi['contexts'] = new Map();
  const asked: ContextRequest[] = [];
  const api = await createContextApi({
    log,
    pool: db.pool,
    codec,
    context: {
      read: async (request) => {
        asked.push(request);
        const answer = contexts.get(`${request.tenant}/${request.conversation}`) ?? { notFound: true };
        return typeof answer === 'function' ? answer() : answer;
      },
    },
    live: () => ({ generation: 1, label: 'sliding-window@v1' }),
    labelled: async (label) => (label === 'other@v2' ? { generation: 2, label } : null),
    metrics: createMetrics(),
    logger: createLogger({
      name: 'context-api',
      level: 'trace',
      destination: { write: (line) => void said.push(line) },
    }),
    ...options,
    limits: { eventLoopDelayMs: 0, waitMs: 200, ...options.limits },
  });
  const keys = new Map<string, Promise<string>>();
  const key = (tenant: string, scopes: Scope[] = ['ingest', 'read', 'admin']): Promise<string> => {
    const name = `${tenant} ${scopes.join()}`;
    const made = keys.get(name) ?? createKey(db.pool, { tenant, scopes }).then((one) => one.secret);
    keys.set(name, made);
    return made;
  };
  const send = async (request: InjectOptions): Promise<LightMyRequestResponse> =>
    api.app.inject({
      ...request,
      headers: { authorization: `Bearer ${await key('acme')}`, ...request.headers },
    });
  return {
    api,
    pool: db.pool,
    log,
    codec,
    said,
    contexts,
    asked,
    key,
    send,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: (events, headers = {}) => send({ method: 'POST', url: '/v1/events', payload: { events }, headers }),
    async fold(partition, nextOffset) {
      await db.pool.query(
        `insert into palimpsest.checkpoints (generation, consumer, topic, partition, next_offset, epoch)
         values (1, 'truncator', 'chat.messages', $1, $2, 1)
         on conflict (generation, consumer, topic, partition) do update set next_offset = excluded.next_offset`,
        [partition, nextOffset],
      );
    },
    async close() {
      await api.close();
      await db.drop();
    },
  };
}
