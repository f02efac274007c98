import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. `answer` is the text of a good completion. */
export type Behaviour =
  | {
      kind: 'answer';
      text: string;
      finish?: string;
      usage?: Record<string, unknown> | null;
      delayMs?: number;
    }
  | { kind: 'status'; status: number; text?: string; retryAfter?: string }
  /** Takes the request and never answers. */
  | { kind: 'hang' }
  /** Ends the connection in the middle of the body. */
  | { kind: 'drop' }
  /** 200 with this body, whatever it is. */
  | { kind: 'raw'; body: string };

export interface SeenRequest {
  body: {
    model?: string;
    messages?: { role: string; content: string }[];
    response_format?: { type: string };
  };
  authorization: string | undefined;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<free port>/v1` */
  readonly baseUrl: string;
  /** Every request, in order of arrival: calls are counted here. */
  readonly requests: SeenRequest[];
  /** What to do with the next requests, in order; after them `fallback` answers. */
  script(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
}

/** Ready-made misbehaviour for `script`. */
export const FAULTS = {
  limited: { kind: 'status', status: 429, retryAfter: '0', text: '{"error":{"message":"slow down"}}' },
  broken: { kind: 'status', status: 500, text: '{"error":{"message":"internal"}}' },
  noJsonSchema: {
    kind: 'status',
    status: 500,
    text: '{"error":{"message":"json_schema: failed to parse grammar"}}',
  },
  noJsonObject: {
    kind: 'status',
    status: 400,
    text: '{"error":{"message":"response_format is not supported"}}',
  },
  hang: { kind: 'hang' },
  drop: { kind: 'drop' },
  cutOff: {
    kind: 'answer',
    text: '{"facts":[{"fact_type":"promise","actor":"client","subj',
    finish: 'length',
  },
  empty: { kind: 'answer', text: '' },
  fenced: { kind: 'answer', text: '```json\n{"facts":[]}\n```\nDone.' },
  prose: { kind: 'answer', text: 'Sure, here it is: {"facts":[]} Anything else?' },
  wrongTypes: {
    kind: 'answer',
    text: '{"facts":[{"fact_type":7,"actor":"client","subject":[],"payload":null,"message":"x"}]}',
  },
  none: { kind: 'answer', text: "{'facts': None}" },
  notJson: { kind: 'raw', body: '<html>Bad gateway</html>' },
  oversize: { kind: 'answer', text: 'All of it was said. '.repeat(4000) },
} as const satisfies Record<string, Behaviour>;

export interface LoopbackOptions {
  /** The answer when the script is empty. */
  fallback?: Behaviour | ((request: SeenRequest) => Behaviour);
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** An OpenAI-compatible server on a free port of the loopback address, for tests: it answers and misbehaves on order. */
export async function startLoopbackServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const requests: SeenRequest[] = [];
  const script: Behaviour[] = [];
  const server: Server = createServer((request, response) => {
    void serve(request, response);
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const seen = { body: parseBody(text), authorization: request.headers.authorization };
    requests.push(seen);
    const fallback = typeof options.fallback === 'function' ? options.fallback(seen) : options.fallback;
    act(script.shift() ?? fallback ?? { kind: 'answer', text: 'ok' }, seen, response);
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...behaviours) => void script.push(...behaviours),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): SeenRequest['body'] {
  try {
    return JSON.parse(text) as SeenRequest['body'];
  } catch {
    return {};
  }
}

function act(behaviour: Behaviour, seen: SeenRequest, response: ServerResponse): void {
  switch (behaviour.kind) {
    case 'hang':
      return;
    case 'drop':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":[');
      response.destroy();
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
      return;
    case 'status': {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (behaviour.retryAfter !== undefined) headers['retry-after'] = behaviour.retryAfter;
      response.writeHead(behaviour.status, headers).end(behaviour.text ?? '{}');
      return;
    }
    case 'answer': {
      const body = {
        id: 'loopback',
        object: 'chat.completion',
        model: seen.body.model ?? 'loopback',
        choices: [
          {
            index: 0,
            finish_reason: behaviour.finish ?? 'stop',
            message: { role: 'assistant', content: behaviour.text },
          },
        ],
        ...(behaviour.usage === null ? {} : { usage: behaviour.usage ?? USAGE }),
      };
      const send = (): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (behaviour.delayMs === undefined) send();
      else setTimeout(send, behaviour.delayMs);
    }
  }
}
