import { randomUUID } from 'node:crypto';
import type { StepEvent, TaskFinishedEvent, TaskStartedEvent } from '@palimpsest/events';

const NOON = Date.UTC(2026, 0, 15, 12);

const envelope = () => ({
  event_id: randomUUID(),
  tenant: 't',
  conversation_id: 'c',
  seq: null,
  occurred_at: NOON,
  client_id: null,
  agent: null,
});

/** A priced answer of one input token and one output token, with what `changes` say. */
export function stepEvent(
  changes: Partial<Omit<StepEvent, 'usage'>> & { usage?: Partial<StepEvent['usage']> } = {},
): StepEvent {
  const { usage, ...rest } = changes;
  return {
    ...envelope(),
    type: 'step',
    task_id: 'task',
    step_index: 0,
    run_id: null,
    provider: 'openai',
    model: 'gpt-4o',
    usage_semantics: null,
    answer_id: null,
    request_id: null,
    final: true,
    purpose: 'answer',
    strategy: null,
    generation: null,
    model_resolved: null,
    tool_name: null,
    tool_result_bytes: null,
    state_bytes: null,
    latency_ms: null,
    ttft_ms: null,
    context_tokens: null,
    stable_prefix_tokens: null,
    ...rest,
    usage: {
      input: 1,
      output: 1,
      cache_read: null,
      cache_write_5m: null,
      cache_write_1h: null,
      reasoning: null,
      ...usage,
    },
  };
}

export function taskStarted(changes: Partial<TaskStartedEvent> = {}): TaskStartedEvent {
  return { ...envelope(), type: 'task_started', task_id: 'task', ...changes };
}

export function taskFinished(changes: Partial<TaskFinishedEvent> = {}): TaskFinishedEvent {
  return { ...envelope(), type: 'task_finished', task_id: 'task', outcome: 'completed', ...changes };
}
