import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { objectOf, textOf } from './json-values.js';
import { readOpenAiMessages, readOpenAiTools, timeFieldOf } from './openai-messages.js';
import type { ConversationReader } from './split-conversations.js';
import { stepOfUsage } from './usage.js';

/** OpenAI's chat JSON: `{messages, model?, tools?, usage?}`, the bare array of messages, a list or lines of either. */
export const openAiReader: ConversationReader = {
  format: 'openai',
  expected:
    '{"messages": […]} as OpenAI\'s chat format has it, the bare array of messages, or a list or lines of either',
  isConversation: (value) => messagesOf(value) !== undefined,
  read: readOpenAi,
};

function* readOpenAi(value: unknown, conversation: Conversation): Generator<ImportItem> {
  const messages = messagesOf(value) ?? [];
  const record = objectOf(value) ?? {};
  const model = textOf(record.model);
  if (messages.length > 0 && model !== undefined) {
    yield conversation.event(
      WHOLE,
      'settings',
      { type: 'conversation_settings', model },
      timeFieldOf(record),
    );
  }
  yield* readOpenAiTools(record, conversation);
  yield* readOpenAiMessages(messages, conversation, { model, at: timeFieldOf(record) });
  // a usage of the whole beside those of the answers is their sum: it would be paid twice
  const stepsTold = messages.some((message) => objectOf(objectOf(message)?.usage) !== undefined);
  if (objectOf(record.usage) !== undefined && !stepsTold) {
    const usage = record.usage;
    yield stepOfUsage(conversation, { index: WHOLE, stepIndex: 0, provider: 'openai', model, usage });
  }
}

/** A bare array is one conversation when any of its entries has a role, else a list of conversations. */
function messagesOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) {
    return value.some((entry) => objectOf(entry)?.role !== undefined) ? value : undefined;
  }
  const messages = objectOf(value)?.messages;
  return Array.isArray(messages) ? messages : undefined;
}
