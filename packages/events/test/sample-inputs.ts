import type { InputEvent } from '../src/input.js';

const id = '0198f3a0-7c1e-7d3a-9b1e-2f6a5c4d3e21';
const common = {
  conversation_id: 'c1',
  event_id: id,
  seq: 7,
  occurred_at: '2026-01-01T00:00:00Z',
  client_id: 'client-1',
  task_id: 'task-1',
  agent: 'support',
};

type Sample = { type: InputEvent['type']; [field: string]: unknown };

/** One input per type with every field set, as a client may send it. Test only. */
export const sampleInputs: Sample[] = [
  {
    ...common,
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'image', mime: 'image/png', data: 'iVBO' },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'thinking', text: 'so', signature: 's' },
    ],
  },
  { ...common, type: 'tool_call', call_id: 'k', tool: 't', arguments: { id: 55 }, step_id: 's' },
  {
    ...common,
    type: 'tool_result',
    call_id: 'k',
    content: 'packed',
    content_type: 'text/plain',
    is_error: false,
  },
  { ...common, type: 'pin', message_id: id },
  { ...common, type: 'unpin', message_id: id },
  { ...common, type: 'correction', message_id: id },
  { ...common, type: 'state_patch', patch: { goal: null }, source_ids: [id] },
  {
    ...common,
    type: 'tools_declared',
    tools: [{ name: 't', summary: 's', schema: { type: 'object' }, phases: ['p'] }],
  },
  { ...common, type: 'phase', phase: 'planning' },
  {
    ...common,
    type: 'conversation_settings',
    agent_type: 'support',
    model: 'm',
    language: 'uk',
    time_zone: 'Europe/Kyiv',
    flags: { verbatim: true, full_context: false },
  },
  {
    ...common,
    type: 'step',
    step_index: 1,
    run_id: 'r',
    provider: 'p',
    model: 'm',
    usage: { input: 10, output: 3, cache_read: 1, cache_write_5m: 2, cache_write_1h: 3, reasoning: 4 },
    usage_semantics: 'input_excludes_cache',
    answer_id: 'A',
    request_id: '',
    final: false,
    strategy: 'coding@1',
    generation: 2,
    model_resolved: 'm-1',
    tool_name: 't',
    tool_result_bytes: 5,
    state_bytes: 6,
    latency_ms: 7,
    ttft_ms: 8,
    context_tokens: 9,
    stable_prefix_tokens: 10,
  },
  { ...common, type: 'task_started' },
  { ...common, type: 'task_finished', outcome: 'failed' },
];

/** The same value with the field at a path set to another value. */
export function withField(sample: unknown, path: (string | number)[], value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (Array.isArray(sample)) {
    return sample.map((item: unknown, index) => (index === first ? withField(item, rest, value) : item));
  }
  return {
    ...(sample as object),
    [first]: withField((sample as Record<string, unknown>)[first as string], rest, value),
  };
}
