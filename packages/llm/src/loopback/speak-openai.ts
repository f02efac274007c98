import type { ServerResponse } from 'node:http';
import type { SeenRequest } from './behaviour.js';

/** A good or bad completion before it is put into a protocol's words. */
export interface SpokenAnswer {
  text: string;
  finish: string;
  /** Undefined = the ordinary one, null = none. */
  usage: Record<string, unknown> | null | undefined;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

export function speakOpenAI(answer: SpokenAnswer, seen: SeenRequest, response: ServerResponse): void {
  const usage = answer.usage === null ? {} : { usage: answer.usage ?? USAGE };
  const about = { id: 'loopback', model: seen.body.model ?? 'loopback' };
  if (seen.body.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (delta: object, finish: string | null, more: object = {}): string =>
      `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
    response.write(chunk({ role: 'assistant', content: answer.text }, null));
    response.end(`${chunk({}, answer.finish, usage)}data: [DONE]\n\n`);
    return;
  }
  const called = seen.body.tools !== undefined;
  const message = called
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'facts', arguments: answer.text } }],
      }
    : { role: 'assistant', content: answer.text };
  const choices = [{ index: 0, finish_reason: answer.finish, message }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...about, object: 'chat.completion', choices, ...usage }));
}
