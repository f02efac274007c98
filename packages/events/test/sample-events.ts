import type { ContentPart, Envelope, EventType, PalimpsestEvent } from '../src/event.js';
import { EVENT_TYPES } from '../src/schemas.js';

/** One fixed event per type: the content of the golden file. Never change one; its bytes lie in people's logs. */

const envelope: Envelope = {
  event_id: '0198f3a0-7c1e-7d3a-9b1e-2f6a5c4d3e21',
  tenant: 'acme',
  conversation_id: 'розмова-7',
  seq: 9_007_199_254_740_993n,
  occurred_at: 1_767_225_600_123,
  client_id: 'client-1',
  task_id: 'task-1',
  agent: null,
};
const empty = { text: null, mime: null, data: null, url: null, signature: null };
const content: ContentPart[] = [
  { ...empty, kind: 'text', text: 'Привіт, 世界 🙂\n' },
  { ...empty, kind: 'image', mime: 'image/png', data: 'iVBORw0KGgo=' },
  { ...empty, kind: 'thinking', text: 'so be it', signature: 'c2ln' },
];
const usage = {
  input: 1200,
  output: 100,
  cache_read: 700,
  cache_write_5m: 200,
  cache_write_1h: null,
  reasoning: 0,
};
const message_id = '0198f3a0-7c1e-7d3a-9b1e-000000000001';
const derivation = {
  from_order: -1n,
  to_order: 2n ** 63n - 1n,
  seen_offset: 64n,
  provider: 'anthropic',
  model: 'm-small',
  prompt_hash: 'p1',
  input_hash: 'i1',
  stop_reason: 'end_turn',
};

export const sampleEvents: Record<EventType, PalimpsestEvent> = {
  message: { ...envelope, type: 'message', role: 'user', content },
  tool_call: {
    ...envelope,
    type: 'tool_call',
    call_id: 'c1',
    tool: 'get_order',
    arguments: '{"id":12345678901234567890}',
    step_id: null,
  },
  tool_result: {
    ...envelope,
    type: 'tool_result',
    call_id: 'c1',
    content: content.slice(0, 1),
    content_type: 'text/plain',
    is_error: true,
  },
  pin: { ...envelope, type: 'pin', message_id },
  unpin: { ...envelope, type: 'unpin', message_id },
  correction: { ...envelope, type: 'correction', message_id },
  state_patch: { ...envelope, type: 'state_patch', patch: '{"goal":null}', source_ids: [message_id] },
  tools_declared: {
    ...envelope,
    type: 'tools_declared',
    tools: [
      { name: 'get_order', summary: 'Reads an order', schema: '{"type":"object"}', phases: ['work'] },
      { name: 'stop', summary: '', schema: '{}', phases: [] },
    ],
  },
  phase: { ...envelope, type: 'phase', phase: 'planning' },
  conversation_settings: {
    ...envelope,
    type: 'conversation_settings',
    agent_type: 'support',
    model: null,
    language: 'uk',
    time_zone: 'Europe/Kyiv',
    verbatim: false,
    full_context: null,
  },
  erasure_requested: { ...envelope, type: 'erasure_requested', reason: 'asked by the client' },
  step: {
    ...envelope,
    type: 'step',
    task_id: 'task-1',
    step_index: 4,
    run_id: 'run-1',
    provider: 'anthropic',
    model: 'm-mid',
    usage,
    usage_semantics: 'input_includes_cache',
    answer_id: 'A',
    request_id: null,
    final: true,
    purpose: 'answer',
    strategy: 'coding@1f2e3d4c',
    generation: 3,
    model_resolved: 'm-mid-2026',
    tool_name: null,
    tool_result_bytes: 4096,
    state_bytes: null,
    latency_ms: 1850,
    ttft_ms: 320,
    context_tokens: 1200,
    stable_prefix_tokens: 900,
  },
  task_started: { ...envelope, type: 'task_started', task_id: 'task-1' },
  task_finished: { ...envelope, type: 'task_finished', task_id: 'task-1', outcome: 'handed_over' },
  summary_made: {
    ...envelope,
    ...derivation,
    type: 'summary_made',
    usage,
    text: 'Order 55 is packed.',
    carried: ['55'],
    language: 'en',
  },
  facts_made: {
    ...envelope,
    ...derivation,
    type: 'facts_made',
    usage: null,
    facts: [
      {
        fact_type: 'address',
        actor: 'client',
        subject: 'home',
        payload: '{"city":"Lviv"}',
        valid_from: -252_460_800_000,
        valid_until: null,
        source_id: message_id,
      },
    ],
  },
};

/** Schema ids as in the golden file: the place in EVENT_TYPES, from 1. */
export const sampleIds: ReadonlyMap<EventType, number> = new Map(
  EVENT_TYPES.map((type, index): [EventType, number] => [type, index + 1]),
);
