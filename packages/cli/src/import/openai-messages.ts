import { writeJson } from '@palimpsest/events';
import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { objectOf, textOf } from './json-values.js';
import { readOpenAiContent, simplest } from './openai-content.js';
import { stepOfUsage } from './usage.js';

/** A name for a call whose tool's name is not in the data. */
export const UNKNOWN_TOOL = 'unknown';

export interface MessagesOptions {
  /** Fields that every event made of a message also carries. */
  fieldsOf?(message: Record<string, unknown>): Record<string, unknown>;
  /** Model of messages that do not name their own, for steps. */
  model?: string | undefined;
  /** Times of a message without one of its own. */
  at?: unknown;
}

/**
 * The messages of OpenAI's chat format, in order. An assistant's text comes as a message before its calls, which share a
 * `step_id`; without text there are only the calls. Arguments pass as the raw text they are, call ids as they are, twice
 * used ones too; a legacy `function_call`, which has no id, gets one from its place. A `usage` at a message makes a step.
 */
export function* readOpenAiMessages(
  messages: readonly unknown[],
  conversation: Conversation,
  options: MessagesOptions = {},
): Generator<ImportItem> {
  const legacyCalls = new Map<string, string>();
  let steps = 0;
  for (const [index, given] of messages.entries()) {
    const message = objectOf(given);
    if (message === undefined) {
      yield conversation.skipped(index, 'a message must be an object with a role');
      continue;
    }
    const source: Source = {
      message,
      index,
      conversation,
      common: options.fieldsOf?.(message) ?? {},
      at: timeFieldOf(message) ?? (index === 0 ? options.at : undefined),
    };
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        yield* readMessage(source, message.role);
        break;
      case 'assistant':
        yield* readAssistant(source, legacyCalls);
        break;
      case 'tool':
        yield* readResult(source, textOf(message.tool_call_id), 'a tool message without tool_call_id');
        break;
      case 'function': {
        const callId = legacyCalls.get(String(message.name));
        yield* readResult(source, callId, 'a function message without a function_call of its name before it');
        break;
      }
      default:
        yield conversation.skipped(index, `role ${JSON.stringify(message.role ?? null)} is not known`);
    }
    if (message.usage !== undefined && message.usage !== null) {
      const model = textOf(message.model) ?? options.model;
      yield stepOfUsage(conversation, {
        index,
        stepIndex: steps,
        provider: 'openai',
        model,
        usage: message.usage,
      });
      steps += 1;
    }
  }
}

/** The time a record or message carries, under any of the names in use. */
export function timeFieldOf(record: Record<string, unknown>): unknown {
  return record.occurred_at ?? record.created_at ?? record.timestamp ?? record.created;
}

/** Tools as declared in OpenAI's format, with `functions` of the older one; nothing when there are none. */
export function* readOpenAiTools(
  record: Record<string, unknown>,
  conversation: Conversation,
): Generator<ImportItem> {
  const given = [record.tools, record.functions].flatMap((list) => (Array.isArray(list) ? list : []));
  yield* declareTools(
    conversation,
    given.map((entry: unknown) => {
      const tool = objectOf(entry);
      const declared = objectOf(tool?.function) ?? tool;
      return { name: declared?.name, description: declared?.description, schema: declared?.parameters };
    }),
  );
}

interface Source {
  message: Record<string, unknown>;
  index: number;
  conversation: Conversation;
  common: Record<string, unknown>;
  at: unknown;
}

function* readMessage(source: Source, role: string): Generator<ImportItem> {
  const { conversation, index } = source;
  const { content, left } = readOpenAiContent(source.message.content);
  for (const why of left) yield conversation.skipped(index, why);
  if (content !== undefined && content !== '') yield messageEvent(source, role, content);
  else if (left.length === 0) yield conversation.skipped(index, 'the message is empty');
}

function* readAssistant(source: Source, legacyCalls: Map<string, string>): Generator<ImportItem> {
  const { message, index, conversation } = source;
  const { content, left } = readOpenAiContent(message.content);
  for (const why of left) yield conversation.skipped(index, why);
  if (message.audio !== undefined && message.audio !== null) {
    yield conversation.skipped(index, 'the audio of an answer is not kept');
  }
  const spoken = withRefusal([...thinkingParts(message), ...partsOf(content)], message.refusal);
  if (spoken !== undefined) yield messageEvent(source, 'assistant', spoken);
  const calls = callsOf(message, index);
  const listed = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [];
  if (listed.some((call) => objectOf(call) === undefined)) {
    yield conversation.skipped(index, 'a tool call must be an object');
  }
  for (const [place, call] of calls.entries()) {
    if (call.legacy) legacyCalls.set(call.tool, call.call_id);
    const fields = { type: 'tool_call', call_id: call.call_id, tool: call.tool, arguments: call.arguments };
    yield conversation.event(
      index,
      `tool_call:${place}`,
      { ...fields, step_id: `step-${index}`, ...source.common },
      place === 0 && spoken === undefined ? source.at : undefined,
    );
  }
  if (spoken === undefined && calls.length === 0 && left.length === 0) {
    yield conversation.skipped(index, 'the message is empty');
  }
}

function* readResult(source: Source, callId: string | undefined, lacking: string): Generator<ImportItem> {
  const { conversation, index } = source;
  if (callId === undefined) {
    yield conversation.skipped(index, lacking);
    return;
  }
  const { content, left } = readOpenAiContent(source.message.content);
  for (const why of left) yield conversation.skipped(index, why);
  const fields = { type: 'tool_result', call_id: callId, content: content ?? '', ...source.common };
  yield conversation.event(index, 'tool_result', fields, source.at);
}

function messageEvent(source: Source, role: string, content: unknown): ImportItem {
  const fields = { type: 'message', role, content, ...source.common };
  return source.conversation.event(source.index, 'message', fields, source.at);
}

function partsOf(content: string | Record<string, unknown>[] | undefined): Record<string, unknown>[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content ?? [];
}

function withRefusal(parts: Record<string, unknown>[], refusal: unknown) {
  const text = textOf(refusal);
  return simplest(text === undefined ? parts : [...parts, { type: 'text', text }]);
}

/** Anthropic's thinking as routers put it beside an OpenAI message. */
function thinkingParts(message: Record<string, unknown>): Record<string, unknown>[] {
  const blocks = Array.isArray(message.thinking_blocks) ? message.thinking_blocks : [];
  return blocks.flatMap((given: unknown) => {
    const block = objectOf(given);
    if (typeof block?.thinking !== 'string' || typeof block.signature !== 'string') return [];
    return [{ type: 'thinking', text: block.thinking, signature: block.signature }];
  });
}

interface Call {
  call_id: string;
  tool: string;
  arguments: string;
  legacy: boolean;
}

function callsOf(message: Record<string, unknown>, index: number): Call[] {
  const given: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const calls = given.flatMap((entry, place) => {
    const call = objectOf(entry);
    if (call === undefined) return [];
    const called = objectOf(call.function) ?? objectOf(call.custom) ?? call;
    return [callOf(called, textOf(call.id) ?? `call-${index}-${place}`, false)];
  });
  const legacy = objectOf(message.function_call);
  return legacy === undefined ? calls : [...calls, callOf(legacy, `call-${index}`, true)];
}

function callOf(called: Record<string, unknown>, callId: string, legacy: boolean): Call {
  const given = called.arguments ?? called.input ?? {};
  const text = typeof given === 'string' ? given : writeJson(given);
  return { call_id: callId, tool: textOf(called.name) ?? UNKNOWN_TOOL, arguments: text, legacy };
}

/** `tools_declared`, from tools with a name; those without are skipped. */
export function* declareTools(
  conversation: Conversation,
  given: readonly { name: unknown; description: unknown; schema: unknown }[],
): Generator<ImportItem> {
  const tools = [];
  for (const { name, description, schema } of given) {
    if (textOf(name) === undefined) yield conversation.skipped(WHOLE, 'a tool without a name');
    else tools.push({ name, summary: textOf(description) ?? '', schema: schemaOf(schema) });
  }
  if (tools.length > 0) yield conversation.event(WHOLE, 'tools', { type: 'tools_declared', tools });
}

function schemaOf(schema: unknown): unknown {
  return objectOf(schema) === undefined ? {} : JSON.parse(writeJson(schema));
}
