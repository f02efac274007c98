import { type ChatEvent, type ContentPart, textPart } from '@palimpsest/events';

/** Builds events of one conversation from short notes, with ids that follow from their position. */
export class History {
  readonly events: ChatEvent[] = [];
  constructor(
    readonly conversation = 'c1',
    readonly tenant = 'acme',
    readonly withSeq = false,
  ) {}

  message(role: 'system' | 'user' | 'assistant' | 'developer', content: string | ContentPart[]): string {
    return this.#add({
      type: 'message',
      role,
      content: typeof content === 'string' ? [textPart(content)] : content,
    });
  }
  call(call_id: string, tool: string, args: string, step_id: string | null = null): string {
    return this.#add({ type: 'tool_call', call_id, tool, arguments: args, step_id });
  }
  result(call_id: string, content: string, is_error = false): string {
    return this.#add({
      type: 'tool_result',
      call_id,
      content: [textPart(content)],
      content_type: null,
      is_error,
    });
  }
  pin(message_id: string): string {
    return this.#add({ type: 'pin', message_id });
  }
  unpin(message_id: string): string {
    return this.#add({ type: 'unpin', message_id });
  }

  correction(message_id: string): string {
    return this.#add({ type: 'correction', message_id });
  }
  patch(task_id: string, patch: object | string, source_ids: string[] = []): string {
    return this.#add({
      type: 'state_patch',
      task_id,
      patch: typeof patch === 'string' ? patch : JSON.stringify(patch),
      source_ids,
    });
  }
  phase(task_id: string, phase: string): string {
    return this.#add({ type: 'phase', task_id, phase });
  }
  tools(tools: { name: string; summary: string; schema: object; phases?: string[] }[]): string {
    return this.#add({
      type: 'tools_declared',
      tools: tools.map((tool) => ({ phases: [], ...tool, schema: JSON.stringify(tool.schema) })),
    });
  }

  settings(model: string): string {
    return this.#add({
      type: 'conversation_settings',
      agent_type: null,
      model,
      language: null,
      time_zone: null,
      verbatim: null,
      full_context: null,
    });
  }

  #add(body: Record<string, unknown>): string {
    const index = this.events.length;
    const event_id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
    this.events.push({
      event_id,
      tenant: this.tenant,
      conversation_id: this.conversation,
      seq: this.withSeq ? BigInt(index) : null,
      occurred_at: 1_700_000_000_000 + index * 1000,
      client_id: null,
      task_id: null,
      agent: null,
      ...body,
    } as unknown as ChatEvent);
    return event_id;
  }
}
