import { type EndpointSettings, postJson } from '../http/post-json.js';
import { ModelCallError } from '../model-errors.js';
import type { ChatAsk, ChatProtocol, Completion } from '../prompted/chat-protocol.js';
import { saysUnsupported } from '../prompted/rungs.js';
import { storableText } from '../storable-text.js';
import { compactionBody, COMPACTION_BETA, compactionOf, type Compaction } from './compaction.js';
import { readUsage } from './read-usage.js';

export interface MessagesOptions extends EndpointSettings {
  model: string;
  /** As the ledger's prices name it. Default `anthropic`. */
  provider?: string;
  /** Null = not sent, for models that refuse it. Default 0. */
  temperature?: number | null;
  /** Sources above its trigger are condensed by the server's own compaction; default never. */
  compaction?: Compaction;
}

/** The version of the API these requests are written for, as its documentation names it. */
const VERSION = '2023-06-01';

/** `POST /messages` as Anthropic and gateways to it speak it. */
export function anthropicMessages(options: MessagesOptions): ChatProtocol {
  const { compaction } = options;
  const headers = {
    'anthropic-version': VERSION,
    ...(options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey }),
  };
  const post = (
    body: object,
    more: Readonly<Record<string, string>>,
    mayRetry: (status: number, text: string) => boolean,
    signal: AbortSignal,
  ): Promise<Completion> =>
    postJson(
      options,
      { path: '/messages', headers: { ...headers, ...more }, body, read: readMessage, mayRetry },
      signal,
    );

  const complete = (ask: ChatAsk, signal: AbortSignal): Promise<Completion> => {
    const steps = ask.json !== undefined && ask.json.rung !== 'prompt';
    const mayRetry = (status: number, text: string): boolean => !steps || !saysUnsupported(status, text);
    return post(messageBody(options, ask), {}, mayRetry, signal);
  };
  return {
    provider: options.provider ?? 'anthropic',
    model: options.model,
    usageSemantics: 'input_excludes_cache',
    rungs: ['json_schema', 'tool', 'prompt'],
    complete,
    ...(compaction === undefined
      ? {}
      : {
          summaryVariant: `compaction above ${compaction.triggerTokens}`,
          summarize(ask: ChatAsk, signal: AbortSignal): Promise<Completion> {
            if (compaction.countTokens(ask.user) <= compaction.triggerTokens) return complete(ask, signal);
            const body = compactionBody(messageBody(options, ask), ask, compaction);
            const beta = { 'anthropic-beta': COMPACTION_BETA };
            return post(body, beta, () => true, signal);
          },
        }),
  };
}

export function messageBody(options: MessagesOptions, ask: ChatAsk): Record<string, unknown> {
  return {
    model: options.model,
    system: ask.system,
    messages: [{ role: 'user', content: ask.user }],
    max_tokens: ask.maxTokens,
    ...(options.temperature === null ? {} : { temperature: options.temperature ?? 0 }),
    ...jsonFormat(ask.json),
  };
}

function jsonFormat(json: ChatAsk['json']): Record<string, unknown> {
  if (json?.rung === 'json_schema')
    return { output_config: { format: { type: 'json_schema', schema: json.schema } } };
  if (json?.rung === 'tool') {
    return {
      tools: [{ name: json.name, input_schema: json.schema }],
      tool_choice: { type: 'tool', name: json.name },
    };
  }
  return {};
}

interface MessageBody {
  model?: unknown;
  stop_reason?: unknown;
  usage?: unknown;
  content?: { type?: unknown; text?: unknown; input?: unknown; content?: unknown }[];
}

function readMessage(answer: unknown): Completion {
  const body = answer as MessageBody | null;
  if (!Array.isArray(body?.content)) {
    const said = JSON.stringify(answer).slice(0, 200);
    throw new ModelCallError(`The model endpoint answered 200 without content: ${said}`, {
      retryable: true,
      status: 200,
    });
  }
  const stopReason = typeof body.stop_reason === 'string' ? body.stop_reason : 'unknown';
  const texts = body.content.map((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? block.text : '',
  );
  const called = body.content.find((block) => block?.type === 'tool_use')?.input;
  const text =
    called === undefined ? texts.join('') : typeof called === 'string' ? called : JSON.stringify(called);
  return {
    text: storableText(compactionOf(body.content) ?? text),
    stopReason,
    end: endOf(stopReason),
    model: typeof body.model === 'string' ? body.model : '',
    usage: readUsage(body.usage),
  };
}

function endOf(stopReason: string): Completion['end'] {
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'cut_off';
  return stopReason === 'refusal' ? 'filtered' : 'whole';
}
