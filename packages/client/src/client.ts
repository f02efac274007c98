import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentEvent } from './event.js';
import { request, type RequestOptions } from './request.js';

export interface ClientOptions {
  /** Base of the API, e.g. `http://127.0.0.1:8080`. */
  url: string;
  key: string;
  fetch?: typeof fetch;
  /** Tries of each request in all; default 5. */
  attempts?: number;
  /** Of one try; default 30 s. */
  timeoutMs?: number;
  pause?: (ms: number) => Promise<void>;
}

export interface Receipt {
  accepted: number;
  duplicates: number;
  positions: { event_id: string; position: string }[];
}

export type ContextFormat = 'openai' | 'anthropic' | 'ai-sdk' | 'text';

export interface ContextOptions {
  /** Tokens that the whole context may have. */
  budget?: number;
  /** Whose message form is answered; default `openai`. */
  format?: ContextFormat;
  query?: string;
  /** A position from a receipt: the context holds that event. */
  after?: string;
}

/** A context ready to send, with the account of what was left out. */
export interface Context {
  position: string;
  strategy: string;
  generation: number;
  /** In the form that was asked for; empty for `text`. */
  messages: Record<string, unknown>[];
  /** Of `anthropic`: what goes beside the messages. */
  system?: Record<string, unknown>[];
  /** Of `text`: the whole context. */
  text?: string;
  /** Of `openai`: goes into the request of the same name, so that calls of a conversation meet the same cache. */
  prompt_cache_key?: string;
  tools: Record<string, unknown>[];
  tokens: { total: number; by_slot: Record<string, number> };
  stable_prefix_tokens: number;
  left_out: Record<string, unknown>[];
  warnings: unknown[];
}

export interface Artifact {
  id: string;
  conversation_id: string;
  mime: string;
  size_bytes: number;
  content: string;
}

export interface ArtifactLines {
  id: string;
  conversation_id: string;
  mime: string;
  from: number;
  to: number;
  total_lines: number;
  truncated: boolean;
  content: string;
}

export interface ArtifactMatches {
  id: string;
  conversation_id: string;
  mime: string;
  /** `line` and `column` are counted from 1; of a long line `text` is what stands around the match. */
  matches: { line: number; column: number; text: string }[];
  total_lines: number;
  truncated: boolean;
  ended_by: 'matches' | 'bytes' | 'time' | null;
  /** Where to go on, when it was ended before the end. */
  next_from?: number;
}

export interface ArtifactFields {
  id: string;
  conversation_id: string;
  mime: string;
  /** Of each path the first values. `text` is the value as JSON, numbers as they were written. */
  fields: { path: string; total: number; values: { path: string; text?: string; omitted?: string }[] }[];
}

export interface Client {
  /**
   * Sends events in order, at most 1,000 per request. Ids are filled in before the first try, so a request that is
   * repeated counts once. Throws PalimpsestError; what was sent in earlier requests of the call then stays accepted.
   */
  sendEvents(events: readonly AgentEvent[]): Promise<Receipt>;
  context(conversation: string, options?: ContextOptions): Promise<Context>;
  artifact(id: string): Promise<Artifact>;
  head(id: string, lines?: number): Promise<ArtifactLines>;
  /** 1-based, inclusive. */
  lines(id: string, from: number, to: number): Promise<ArtifactLines>;
  /** Lines that match a pattern of RE2: at most `max` (50), from line `from` on. */
  grep(id: string, pattern: string, options?: { from?: number; max?: number }): Promise<ArtifactMatches>;
  /** Values at JSON paths such as `$.orders[0].total`, `orders[*].id`, `$..email`; `max` (100) of each. */
  fields(id: string, paths: readonly string[], options?: { max?: number }): Promise<ArtifactFields>;
}

const MAX_EVENTS = 1_000;
/** Under the server's default of 16 MB, whatever the events hold. */
const MAX_BYTES = 12_000_000;

/** Talks to the API of one server with one key. */
export function createClient(options: ClientOptions): Client {
  const settings: RequestOptions = {
    url: options.url,
    key: options.key,
    fetch: options.fetch ?? fetch,
    attempts: options.attempts ?? 5,
    timeoutMs: options.timeoutMs ?? 30_000,
    pause: options.pause ?? ((ms) => pause(ms)),
  };
  const get = (path: string, query: object = {}): Promise<unknown> => {
    const entries = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(
      entries.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return request(settings, { method: 'GET', path: text === '' ? path : `${path}?${text}` });
  };

  return {
    async sendEvents(events) {
      const receipt: Receipt = { accepted: 0, duplicates: 0, positions: [] };
      for (const body of bodiesOf(events)) {
        const one = (await request(settings, { method: 'POST', path: '/v1/events', body })) as Receipt;
        receipt.accepted += one.accepted;
        receipt.duplicates += one.duplicates;
        for (const position of one.positions) receipt.positions.push(position);
      }
      return receipt;
    },
    async context(conversation, asked = {}) {
      const path = `/v1/conversations/${encodeURIComponent(conversation)}/context`;
      const context = (await get(path, asked)) as Omit<Context, 'messages'> & Partial<Context>;
      return { ...context, messages: context.messages ?? [] };
    },
    async artifact(id) {
      return (await get(`/v1/artifacts/${encodeURIComponent(id)}`)) as Artifact;
    },
    async head(id, lines) {
      return (await get(`/v1/artifacts/${encodeURIComponent(id)}/head`, { lines })) as ArtifactLines;
    },
    async lines(id, from, to) {
      return (await get(`/v1/artifacts/${encodeURIComponent(id)}/lines`, { from, to })) as ArtifactLines;
    },
    async grep(id, pattern, { from, max } = {}) {
      const path = `/v1/artifacts/${encodeURIComponent(id)}/grep`;
      return (await get(path, { pattern, from, max })) as ArtifactMatches;
    },
    async fields(id, paths, { max } = {}) {
      const path = `/v1/artifacts/${encodeURIComponent(id)}/fields`;
      return (await get(path, { paths: paths.join(','), as: 'text', max })) as ArtifactFields;
    },
  };
}

/** Request bodies: each at most 1,000 events and, but for a single larger event, 12 MB. */
function* bodiesOf(events: readonly AgentEvent[]): Generator<string> {
  let chunk: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const json = toJson({ ...event, event_id: event.event_id ?? randomUUID() });
    const size = Buffer.byteLength(json);
    if (chunk.length === MAX_EVENTS || (chunk.length > 0 && bytes + size > MAX_BYTES)) {
      yield `{"events":[${chunk.join(',')}]}`;
      chunk = [];
      bytes = 0;
    }
    chunk.push(json);
    bytes += size + 1;
  }
  if (chunk.length > 0) yield `{"events":[${chunk.join(',')}]}`;
}

/** A bigint `seq` as text, which the API takes alike. */
function toJson(event: AgentEvent): string {
  const seq = typeof event.seq === 'bigint' ? { seq: String(event.seq) } : {};
  return JSON.stringify({ ...event, ...seq });
}
