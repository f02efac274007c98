import type { ContentPart, Envelope, PalimpsestEvent } from './event.js';
import { textPart } from './event.js';
import { type InputEvent, type InputPart, partsOf } from './input.js';
import { writeJson } from './parse-json.js';

export interface Origin {
  /** Of the API key. */
  tenant: string;
  /** Used where the event brings none, ms since 1970. */
  now: number;
  /** Makes a UUID where the event brings none. */
  newId(): string;
  /** `name@version` of the live strategy, stamped on steps that name none. */
  strategy: string | null;
  generation: number | null;
}

/** An accepted input as the event that goes into the log. Pure: clock and ids come with `origin`. */
export function toEvent(input: InputEvent, origin: Origin): PalimpsestEvent {
  const envelope: Envelope = {
    event_id: input.event_id ?? origin.newId(),
    tenant: origin.tenant,
    conversation_id: input.conversation_id,
    seq: input.seq ?? null,
    occurred_at: input.occurred_at ?? origin.now,
    client_id: input.client_id ?? null,
    task_id: input.task_id ?? null,
    agent: input.agent ?? null,
  };
  switch (input.type) {
    case 'message':
      return { ...envelope, type: 'message', role: input.role, content: toParts(input.content) };
    case 'tool_call':
      return {
        ...envelope,
        type: 'tool_call',
        call_id: input.call_id,
        tool: input.tool,
        arguments: typeof input.arguments === 'string' ? input.arguments : writeJson(input.arguments ?? {}),
        step_id: input.step_id ?? null,
      };
    case 'tool_result':
      return { ...envelope, type: 'tool_result', call_id: input.call_id, ...toResult(input) };
    case 'pin':
    case 'unpin':
    case 'correction':
      return { ...envelope, type: input.type, message_id: input.message_id };
    case 'state_patch':
      return {
        ...envelope,
        type: 'state_patch',
        patch: writeJson(input.patch),
        source_ids: input.source_ids ?? [],
      };
    case 'tools_declared':
      return {
        ...envelope,
        type: 'tools_declared',
        tools: input.tools.map((tool) => ({
          name: tool.name,
          summary: tool.summary,
          schema: writeJson(tool.schema),
          phases: tool.phases ?? [],
        })),
      };
    case 'phase':
      return { ...envelope, type: 'phase', phase: input.phase };
    case 'conversation_settings':
      return {
        ...envelope,
        type: 'conversation_settings',
        agent_type: input.agent_type ?? null,
        model: input.model ?? null,
        language: input.language ?? null,
        time_zone: input.time_zone ?? null,
        verbatim: input.flags?.verbatim ?? null,
        full_context: input.flags?.full_context ?? null,
      };
    case 'step':
      return {
        ...envelope,
        type: 'step',
        task_id: input.task_id,
        step_index: input.step_index,
        run_id: input.run_id ?? null,
        provider: input.provider,
        model: input.model,
        usage: {
          input: input.usage.input,
          output: input.usage.output,
          cache_read: input.usage.cache_read ?? null,
          cache_write_5m: input.usage.cache_write_5m ?? null,
          cache_write_1h: input.usage.cache_write_1h ?? null,
          reasoning: input.usage.reasoning ?? null,
        },
        usage_semantics: input.usage_semantics ?? null,
        answer_id: input.answer_id ?? null,
        request_id: input.request_id ?? null,
        final: input.final ?? true,
        purpose: 'answer',
        strategy: input.strategy ?? origin.strategy,
        generation: input.generation ?? (input.strategy === undefined ? origin.generation : null),
        model_resolved: input.model_resolved ?? null,
        tool_name: input.tool_name ?? null,
        tool_result_bytes: input.tool_result_bytes ?? null,
        state_bytes: input.state_bytes ?? null,
        latency_ms: input.latency_ms ?? null,
        ttft_ms: input.ttft_ms ?? null,
        context_tokens: input.context_tokens ?? null,
        stable_prefix_tokens: input.stable_prefix_tokens ?? null,
      };
    case 'task_started':
      return { ...envelope, type: 'task_started', task_id: input.task_id };
    case 'task_finished':
      return {
        ...envelope,
        type: 'task_finished',
        task_id: input.task_id,
        outcome: input.outcome ?? 'completed',
      };
  }
}

/** A result's content: text and parts as they are, any other JSON as its text, declared as JSON. */
function toResult(input: Extract<InputEvent, { type: 'tool_result' }>): {
  content: ContentPart[];
  content_type: string | null;
  is_error: boolean;
} {
  const is_error = input.is_error ?? false;
  const content_type = input.content_type ?? null;
  if (typeof input.content === 'string') {
    return { content: [textPart(input.content)], content_type, is_error };
  }
  const parts = partsOf(input.content);
  if (parts !== undefined) return { content: toParts(parts), content_type, is_error };
  return {
    content: [textPart(writeJson(input.content))],
    content_type: content_type ?? 'application/json',
    is_error,
  };
}

function toParts(content: string | readonly InputPart[]): ContentPart[] {
  if (typeof content === 'string') return [textPart(content)];
  return content.map((part) => {
    const empty: ContentPart = {
      kind: part.type,
      text: null,
      mime: null,
      data: null,
      url: null,
      signature: null,
    };
    switch (part.type) {
      case 'text':
        return { ...empty, text: part.text };
      case 'thinking':
        return { ...empty, text: part.text, signature: part.signature ?? null };
      case 'image':
        return { ...empty, mime: part.mime ?? null, data: part.data ?? null, url: part.url ?? null };
    }
  });
}
