import type { Behaviour, SeenRequest } from './behaviour.js';

/**
 * How a real llama.cpp server answered: `json_schema` gives 500 while `json_object` with a schema works, a stream has
 * no usage, and `max_completion_tokens` is ignored, so that an answer ends by `stop` only. For `profile`.
 */
export function llamaCpp(request: SeenRequest, otherwise: Behaviour): Behaviour {
  const { body } = request;
  if (body.response_format?.type === 'json_schema') {
    return {
      kind: 'status',
      status: 500,
      text: '{"error":{"code":500,"message":"failed to parse grammar","type":"server_error"}}',
    };
  }
  if (otherwise.kind !== 'answer') return otherwise;
  const usage = body.stream === true ? { usage: null } : {};
  // Only `max_tokens` limits.
  return {
    ...otherwise,
    ...usage,
    heedsLimit: otherwise.heedsLimit === true && body.max_tokens !== undefined,
  };
}
