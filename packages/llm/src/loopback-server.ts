import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Behaviour, SeenRequest } from './loopback/behaviour.js';
import { llamaCpp } from './loopback/llama-cpp.js';
import { speakAnthropic } from './loopback/speak-anthropic.js';
import { type SpokenAnswer, speakOpenAI } from './loopback/speak-openai.js';

export { asksForFacts, type Behaviour, type SeenRequest, systemOf, userOf } from './loopback/behaviour.js';
export { FAULTS } from './loopback/faults.js';

export interface LoopbackServer {
  /** `http://127.0.0.1:<free port>/v1`, for both protocols. */
  readonly baseUrl: string;
  /** Every request, in order of arrival: calls are counted here. */
  readonly requests: SeenRequest[];
  /** Requests whose answer is still owed. */
  readonly open: number;
  /** What to do with the next requests, in order; after them `fallback` answers. */
  script(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** The answer when the script is empty. */
  fallback?: Behaviour | ((request: SeenRequest) => Behaviour);
  /** Behave as a known server does, on top of script and fallback. */
  profile?: 'llama.cpp';
}

/**
 * A model server on a free port of the loopback address, for tests: it speaks OpenAI's chat completions and Anthropic's
 * messages, answers and misbehaves on order.
 */
export async function startLoopbackServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const requests: SeenRequest[] = [];
  const script: Behaviour[] = [];
  const owed = new Set<ServerResponse>();
  const server: Server = createServer((request, response) => {
    owed.add(response);
    response.once('close', () => owed.delete(response));
    void serve(request, response);
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseBody(await readBody(request));
    const key = request.headers['x-api-key'] ?? request.headers.authorization;
    const beta = request.headers['anthropic-beta'];
    const seen: SeenRequest = {
      protocol: request.url?.endsWith('/messages') === true ? 'anthropic' : 'openai',
      body,
      authorization: Array.isArray(key) ? key[0] : key,
      beta: Array.isArray(beta) ? beta.join() : beta,
    };
    requests.push(seen);
    const fallback = typeof options.fallback === 'function' ? options.fallback(seen) : options.fallback;
    const chosen = script.shift() ?? fallback ?? { kind: 'answer', text: 'ok' };
    if (options.profile === 'llama.cpp') {
      // One slot: a new request ends what is still being written.
      for (const other of owed) if (other !== response) other.destroy();
      act(llamaCpp(seen, chosen), seen, response);
    } else act(chosen, seen, response);
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get open() {
      return owed.size;
    },
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
      const answer = spoken(behaviour, seen);
      const speak = seen.protocol === 'anthropic' ? speakAnthropic : speakOpenAI;
      if (behaviour.delayMs === undefined) speak(answer, seen, response);
      else setTimeout(() => speak(answer, seen, response), behaviour.delayMs);
    }
  }
}

function spoken(behaviour: Behaviour & { kind: 'answer' }, seen: SeenRequest): SpokenAnswer {
  const text = typeof behaviour.text === 'function' ? behaviour.text(seen) : behaviour.text;
  const limit = seen.body.max_tokens ?? seen.body.max_completion_tokens;
  const words = text.split(' ');
  if (behaviour.heedsLimit === true && limit !== undefined && words.length > limit)
    return { text: words.slice(0, limit).join(' '), finish: 'length', usage: behaviour.usage };
  return { text, finish: behaviour.finish ?? 'stop', usage: behaviour.usage };
}
