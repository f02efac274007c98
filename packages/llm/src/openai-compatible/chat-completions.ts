import { type EndpointSettings, postJson } from '../http/post-json.js';
import { ModelCallError } from '../model-errors.js';
import type { ChatAsk, ChatProtocol, Completion } from '../prompted/chat-protocol.js';
import { saysUnsupported } from '../prompted/rungs.js';
import { storableText } from '../storable-text.js';
import { readUsage } from './read-usage.js';

export interface ChatCompletionsOptions extends EndpointSettings {
  model: string;
  /** As the ledger's prices name it. Default `openai-compatible`. */
  provider?: string;
  /** Default `max_tokens`; OpenAI's reasoning models want `max_completion_tokens`. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Null = not sent, for models that refuse it. Default 0. */
  temperature?: number | null;
}

/** `POST /chat/completions`, as OpenAI, OpenRouter, Ollama, vLLM, llama.cpp and gateways speak it. */
export function chatCompletions(options: ChatCompletionsOptions): ChatProtocol {
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
  return {
    provider: options.provider ?? 'openai-compatible',
    model: options.model,
    usageSemantics: 'input_includes_cache',
    rungs: ['json_schema', 'json_object', 'tool', 'prompt'],
    complete(ask, signal) {
      const steps = ask.json !== undefined && ask.json.rung !== 'prompt';
      return postJson(
        options,
        {
          path: '/chat/completions',
          headers,
          body: chatBody(options, ask),
          read: readCompletion,
          mayRetry: (status, text) => !steps || !saysUnsupported(status, text),
        },
        signal,
      );
    },
  };
}

/** The request's body; what `check-model` sends as well, with a parameter more or less. */
export function chatBody(options: ChatCompletionsOptions, ask: ChatAsk): Record<string, unknown> {
  return {
    model: options.model,
    messages: [
      { role: 'system', content: ask.system },
      { role: 'user', content: ask.user },
    ],
    [options.maxTokensField ?? 'max_tokens']: ask.maxTokens,
    ...(options.temperature === null ? {} : { temperature: options.temperature ?? 0 }),
    ...jsonFormat(ask.json),
  };
}

function jsonFormat(json: ChatAsk['json']): Record<string, unknown> {
  if (json === undefined) return {};
  const { name, schema } = json;
  switch (json.rung) {
    case 'json_schema':
      return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } };
    case 'json_object':
      // `schema` beside json_object is what llama.cpp enforces; others ignore it.
      return { response_format: { type: 'json_object', schema } };
    case 'tool':
      return {
        tools: [{ type: 'function', function: { name, parameters: schema } }],
        tool_choice: { type: 'function', function: { name } },
      };
    case 'prompt':
      return {};
  }
}

interface ChatCompletionBody {
  model?: unknown;
  usage?: unknown;
  choices?: {
    finish_reason?: unknown;
    message?: {
      content?: unknown;
      refusal?: unknown;
      tool_calls?: { function?: { arguments?: unknown } | null }[] | null;
    } | null;
  }[];
}

function readCompletion(answer: unknown): Completion {
  const body = answer as ChatCompletionBody | null;
  const choice = Array.isArray(body?.choices) ? body.choices[0] : undefined;
  if (choice === undefined || choice === null) {
    const said = JSON.stringify(answer).slice(0, 200);
    throw new ModelCallError(`The model endpoint answered 200 without choices: ${said}`, {
      retryable: true,
      status: 200,
    });
  }
  const stopReason = typeof choice.finish_reason === 'string' ? choice.finish_reason : 'unknown';
  const refused = typeof choice.message?.refusal === 'string' && choice.message.refusal !== '';
  return {
    text: refused ? String(choice.message?.refusal) : answerText(choice.message),
    stopReason,
    end: endOf(stopReason, refused),
    model: typeof body?.model === 'string' ? body.model : '',
    usage: readUsage(body?.usage),
  };
}

function endOf(stopReason: string, refused: boolean): Completion['end'] {
  if (stopReason === 'length') return 'cut_off';
  return refused || stopReason === 'content_filter' ? 'filtered' : 'whole';
}

/** Content is text, or parts, or the arguments of the call that was asked for. */
function answerText(message: NonNullable<ChatCompletionBody['choices']>[number]['message']): string {
  const called = message?.tool_calls?.[0]?.function?.arguments;
  if (called !== undefined && called !== null)
    return storableText(typeof called === 'string' ? called : JSON.stringify(called));
  const content = message?.content;
  if (typeof content === 'string') return storableText(content);
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : ''));
  return storableText(texts.join(''));
}
