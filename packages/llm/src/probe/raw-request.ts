import { messageBody, type MessagesOptions } from '../anthropic/messages.js';
import type { EndpointSettings } from '../http/post-json.js';
import { chatBody } from '../openai-compatible/chat-completions.js';
import type { ChatAsk } from '../prompted/chat-protocol.js';

/** An endpoint as `check-model` is told of it. */
export interface ProbedEndpoint extends EndpointSettings {
  protocol: 'openai' | 'anthropic';
  model: string;
}

export interface RawAnswer {
  /** Null when the connection ended without a status. */
  status: number | null;
  text: string;
  ms: number;
}

/** One request with parameters of the prober's choice, never retried: what comes back, whatever it is. */
export async function rawRequest(
  endpoint: ProbedEndpoint,
  ask: ChatAsk,
  change: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const isAnthropic = endpoint.protocol === 'anthropic';
  const options: MessagesOptions = endpoint;
  const body = { ...(isAnthropic ? messageBody(options, ask) : chatBody(endpoint, ask)), ...change };
  const start = performance.now();
  const ms = (): number => Math.round(performance.now() - start);
  try {
    const response = await fetch(
      `${endpoint.baseUrl.replace(/\/+$/u, '')}${isAnthropic ? '/messages' : '/chat/completions'}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...keyHeaders(endpoint) },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(endpoint.timeoutMs ?? 120_000)]),
        redirect: 'error',
      },
    );
    return { status: response.status, text: await response.text(), ms: ms() };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, text: error instanceof Error ? error.message : String(error), ms: ms() };
  }
}

function keyHeaders({ protocol, apiKey }: ProbedEndpoint): Record<string, string> {
  if (protocol === 'anthropic')
    return { 'anthropic-version': '2023-06-01', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) };
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
