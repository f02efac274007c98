import { writeJson } from '@palimpsest/events';
import { readAnthropicContent } from './anthropic-content.js';
import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { objectOf, textOf } from './json-values.js';
import { declareTools, timeFieldOf, UNKNOWN_TOOL } from './openai-messages.js';
import { simplest } from './openai-content.js';
import type { ConversationReader } from './split-conversations.js';
import { stepOfUsage } from './usage.js';

/** Anthropic's messages JSON: `{system?, messages, model?, tools?, usage?}`, the bare array, a list or lines of either. */
export const anthropicReader: ConversationReader = {
  format: 'anthropic',
  expected:
    '{"system": …, "messages": […]} as Anthropic\'s API has it, the bare array of messages, or a list or lines of either',
  isConversation: (value) => messagesOf(value) !== undefined,
  read: readAnthropic,
};

/**
 * Of one message, thinking, text and images come first as one `message`, then its calls, which share a `step_id`; of a
 * user's, the results come first, then what the user said, as the API asks for.
 */
function* readAnthropic(value: unknown, conversation: Conversation): Generator<ImportItem> {
  const messages = messagesOf(value) ?? [];
  const record = objectOf(value) ?? {};
  const recordModel = textOf(record.model);
  const at = timeFieldOf(record);
  if (messages.length > 0 && recordModel !== undefined) {
    yield conversation.event(WHOLE, 'settings', { type: 'conversation_settings', model: recordModel }, at);
  }
  yield* declareTools(conversation, toolsOf(record));
  if (messages.length > 0) yield* readSystem(record.system, conversation, at);
  let steps = 0;
  for (const [index, given] of messages.entries()) {
    const message = objectOf(given);
    if (message === undefined) {
      yield conversation.skipped(index, 'a message must be an object with a role');
      continue;
    }
    yield* readMessage(message, index, conversation);
    if (objectOf(message.usage) !== undefined) {
      const model = textOf(message.model) ?? recordModel;
      const usage = message.usage;
      yield stepOfUsage(conversation, { index, stepIndex: steps, provider: 'anthropic', model, usage });
      steps += 1;
    }
  }
  // a usage of the whole beside those of the answers is their sum: it would be paid twice
  if (objectOf(record.usage) !== undefined && steps === 0) {
    const usage = record.usage;
    const step = { index: WHOLE, stepIndex: 0, model: recordModel, usage };
    yield stepOfUsage(conversation, { ...step, provider: 'anthropic' });
  }
}

function* readSystem(system: unknown, conversation: Conversation, at: unknown): Generator<ImportItem> {
  const { parts, left } = readAnthropicContent(system);
  for (const why of left) yield conversation.skipped(WHOLE, why);
  const content = simplest(parts);
  if (content === undefined) return;
  yield conversation.event(WHOLE, 'system', { type: 'message', role: 'system', content }, at);
}

function* readMessage(
  message: Record<string, unknown>,
  index: number,
  conversation: Conversation,
): Generator<ImportItem> {
  const { role } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    yield conversation.skipped(index, `role ${JSON.stringify(role ?? null)} is not known`);
    return;
  }
  let at = timeFieldOf(message);
  const timed = (part: string, fields: Record<string, unknown>): ImportItem => {
    const item = conversation.event(index, part, fields, at);
    at = undefined;
    return item;
  };
  const { parts, calls, results, left } = readAnthropicContent(message.content);
  for (const why of left) yield conversation.skipped(index, why);
  for (const [place, result] of results.entries()) {
    const read = readAnthropicContent(result.content);
    for (const why of read.left) yield conversation.skipped(index, why);
    const callId = textOf(result.tool_use_id);
    if (callId === undefined) {
      yield conversation.skipped(index, 'a tool_result without tool_use_id');
      continue;
    }
    const fields = { type: 'tool_result', call_id: callId, content: simplest(read.parts) ?? '' };
    yield timed(`tool_result:${place}`, result.is_error === true ? { ...fields, is_error: true } : fields);
  }
  const content = simplest(parts);
  if (content !== undefined) yield timed('message', { type: 'message', role, content });
  for (const [place, call] of calls.entries()) {
    yield timed(`tool_call:${place}`, {
      type: 'tool_call',
      call_id: textOf(call.id) ?? `call-${index}-${place}`,
      tool: textOf(call.name) ?? UNKNOWN_TOOL,
      arguments: typeof call.input === 'string' ? call.input : writeJson(call.input ?? {}),
      step_id: `step-${index}`,
    });
  }
  const anything = parts.length + calls.length + results.length + left.length > 0;
  if (!anything) yield conversation.skipped(index, 'the message is empty');
}

function toolsOf(record: Record<string, unknown>) {
  const given: unknown[] = Array.isArray(record.tools) ? record.tools : [];
  return given.map((entry) => {
    const tool = objectOf(entry);
    return { name: tool?.name, description: tool?.description, schema: tool?.input_schema };
  });
}

/** A bare array is one conversation when any of its entries has a role, else a list of conversations. */
function messagesOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) {
    return value.some((entry) => objectOf(entry)?.role !== undefined) ? value : undefined;
  }
  const messages = objectOf(value)?.messages;
  return Array.isArray(messages) ? messages : undefined;
}
