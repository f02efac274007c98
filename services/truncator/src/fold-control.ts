import { type ChatEvent, parseJson, writeJson } from '@palimpsest/events';
import {
  type ConversationState,
  declareTools,
  foldCorrection,
  foldPin,
  foldSettings,
  foldTaskWord,
  type JsonText,
  taskWord,
  wellFormed,
} from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';

/** Numbers in patches stay as they were written. */
export const exactJson: JsonText = { parse: parseJson, write: writeJson };

/** Folds an event that is no entry: what it says of the window, of tasks and of messages. */
export function foldControl(state: ConversationState, event: ChatEvent, order: bigint): void {
  switch (event.type) {
    case 'pin':
    case 'unpin':
      foldPin(state, { messageId: event.message_id, pinned: event.type === 'pin', order });
      return;
    case 'correction':
      foldCorrection(state, { messageId: event.message_id, order });
      return;
    case 'state_patch':
    case 'phase':
      foldTaskWord(state, taskWord(event, order), exactJson);
      return;
    case 'conversation_settings': {
      const { agent_type, model, language, time_zone, verbatim, full_context } = event;
      foldSettings(state, order, { agent_type, model, language, time_zone, verbatim, full_context });
      return;
    }
    default:
    // Declarations of tools are read from their rows.
  }
}

/** What a control event says beyond its envelope, as its row keeps it; tools with their tokens, counted once. */
export function controlBody(event: ChatEvent, counter: TokenCounter): Buffer {
  const { event_id, tenant, conversation_id, seq, occurred_at, type, ...body } = event;
  const kept =
    event.type === 'tools_declared'
      ? { ...body, tools: declareTools(event.tools.map(wellFormedTool), counter) }
      : body;
  return Buffer.from(
    JSON.stringify(kept, (_name, value: unknown) => (typeof value === 'string' ? wellFormed(value) : value)),
  );
}

type DeclaredTool = Extract<ChatEvent, { type: 'tools_declared' }>['tools'][number];

function wellFormedTool({ name, summary, schema, phases }: DeclaredTool): DeclaredTool {
  return {
    name: wellFormed(name),
    summary: wellFormed(summary),
    schema: wellFormed(schema),
    phases: phases.map(wellFormed),
  };
}
