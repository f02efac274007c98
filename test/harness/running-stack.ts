import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deadLetterTopic } from '@palimpsest/events';
import type { LogRecord } from '@palimpsest/log';
import { type EmbeddedStack, startEmbeddedStack } from '../../packages/cli/src/stack/embedded-stack.js';
import { createKey, type Scope } from '../../packages/views/src/index.js';

/** An answer of the API: its status and its body, parsed where it is JSON. */
interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies differ by route; a test says what it expects of one
  body: any;
  headers: Headers;
}

/** The whole embedded stack in this process, on a data folder of its own. */
export interface RunningStack extends EmbeddedStack {
  folder: string;
  /** `GET path`, or `POST path` where there is a body. A string is sent as it is. */
  ask(path: string, options?: { body?: unknown; key?: string }): Promise<Answer>;
  /** Sends events in one request and expects a 202. */
  accept(events: readonly object[], key?: string): Promise<Answer>;
  /** Rows of the views' database. */
  rows<T = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Rows of the ledger; numbers of 64 bits and decimals are text. */
  bill<T = Record<string, unknown>>(sql: string, tenant?: string): Promise<T[]>;
  /** A key of another tenant, or with other scopes. */
  keyOf(tenant: string, scopes?: readonly Scope[]): Promise<string>;
  /** Everything that lies in a topic, by partition and offset. */
  recordsOf(topic: string): Promise<LogRecord[]>;
  deadLettersOf(topic: string): Promise<LogRecord[]>;
  /** Stops the stack and removes its data. */
  close(): Promise<void>;
}

/** A data folder for one test; the caller removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'palimpsest-stack-'));
}

export async function runStack(folder = temporaryFolder()): Promise<RunningStack> {
  const environment = { dataFolder: folder, port: 0, logLevel: 'silent', model: null };
  const stack = await startEmbeddedStack(environment, () => undefined);
  const ask: RunningStack['ask'] = async (route, { body, key = stack.key } = {}) => {
    const response = await fetch(`${stack.url}${route}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
  const recordsOf: RunningStack['recordsOf'] = async (topic) => {
    const found: LogRecord[] = [];
    for (const { partition, low, high } of await stack.log.bounds(topic)) {
      let next = low;
      while (next < high) {
        const page = await stack.log.read(topic, partition, next, 1000);
        if (page.length === 0) break;
        found.push(...page);
        next = (page.at(-1) as LogRecord).offset + 1n;
      }
    }
    return found;
  };
  return {
    ...stack,
    folder,
    ask,
    async accept(events, key) {
      const answer = await ask('/v1/events', { body: { events }, ...(key === undefined ? {} : { key }) });
      if (answer.status !== 202) throw new Error(`Not accepted: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    rows: async <T>(sql: string, values: readonly unknown[] = []) =>
      (await stack.pool.query(sql, [...values])).rows as T[],
    async bill<T>(sql: string, tenant?: string) {
      const scope = tenant === undefined ? {} : { tenant };
      const text = await stack.ledger.query(sql, { readonly: true, format: 'JSON', ...scope });
      return (JSON.parse(text) as { data: T[] }).data;
    },
    keyOf: async (tenant, scopes = ['ingest', 'read']) =>
      (await createKey(stack.pool, { tenant, scopes })).secret,
    recordsOf,
    deadLettersOf: (topic) => recordsOf(deadLetterTopic(topic)),
    async close() {
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
