import type { ServerResponse } from 'node:http';
import type { SeenRequest } from './behaviour.js';
import type { SpokenAnswer } from './speak-openai.js';

const USAGE = {
  input_tokens: 60,
  output_tokens: 20,
  cache_read_input_tokens: 40,
  cache_creation_input_tokens: 0,
};
const STOP_REASONS: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
};

export function speakAnthropic(answer: SpokenAnswer, seen: SeenRequest, response: ServerResponse): void {
  const compacts = seen.body.context_management !== undefined;
  const called = seen.body.tools !== undefined;
  const block = compacts
    ? { type: 'compaction', content: answer.text }
    : called
      ? { type: 'tool_use', id: 't', name: 'facts', input: inputOf(answer.text) }
      : { type: 'text', text: answer.text };
  const usage = answer.usage ?? USAGE;
  const message = {
    id: 'msg_loopback',
    type: 'message',
    role: 'assistant',
    model: seen.body.model ?? 'loopback',
    content: answer.text === '' ? [] : [block],
    stop_reason: compacts ? 'compaction' : (STOP_REASONS[answer.finish] ?? answer.finish),
    ...(answer.usage === null
      ? {}
      : {
          usage: compacts
            ? { input_tokens: 0, output_tokens: 0, iterations: [{ type: 'compaction', ...usage }] }
            : usage,
        }),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
}

/** The arguments of a call are an object on this wire; what is no JSON comes as a string. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
