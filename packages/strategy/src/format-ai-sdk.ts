import type { Piece } from './assemble.js';
import { type Entry, type EntryPart, isRule } from './entry.js';
import { shownText } from './fit-unit.js';

type UserPart = { type: 'text'; text: string } | { type: 'image'; image: string; mediaType?: string };
type AssistantPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; providerOptions?: { anthropic: { signature: string } } }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown };
interface ToolPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
}

/** Messages of the AI SDK (`ModelMessage` of version 5), for `generateText({ messages })`. */
export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserPart[] }
  | { role: 'assistant'; content: AssistantPart[] }
  | { role: 'tool'; content: ToolPart[] };

/** Pieces for the AI SDK: a step is one assistant message with its calls and one tool message with their results. */
export function formatAiSdk(pieces: readonly Piece[]): AiSdkMessage[] {
  const messages: AiSdkMessage[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'memory') {
      messages.push({ role: 'system', content: piece.text });
      continue;
    }
    if (piece.kind === 'note') {
      messages.push({ role: 'user', content: [{ type: 'text', text: piece.text }] });
      continue;
    }
    const names = new Map<string, string>();
    for (const { entry } of piece.unit.entries) {
      if (entry.kind === 'tool_call') {
        names.set(entry.call_id ?? '', entry.tool ?? '');
        assistantOf(messages).push(callOf(entry));
      } else if (entry.kind === 'tool_result') resultsOf(messages).push(resultOf(entry, names));
      else addMessage(messages, entry);
    }
  }
  return messages;
}

function addMessage(messages: AiSdkMessage[], entry: Entry): void {
  const parts: EntryPart[] = entry.parts ?? [{ kind: 'text', text: entry.text }];
  if (isRule(entry)) messages.push({ role: 'system', content: shownText(entry) });
  else if (entry.role === 'assistant') {
    const content = parts.flatMap(assistantParts);
    if (content.length > 0) messages.push({ role: 'assistant', content });
  } else {
    const content = parts.flatMap(userParts);
    if (content.length > 0) messages.push({ role: 'user', content });
  }
}

function userParts(part: EntryPart): UserPart[] {
  if (part.kind === 'thinking') return [];
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  const image = part.data ?? part.url;
  if (image === null) return [{ type: 'text', text: '[image]' }];
  return [part.mime === null ? { type: 'image', image } : { type: 'image', image, mediaType: part.mime }];
}

function assistantParts(part: EntryPart): AssistantPart[] {
  if (part.kind === 'image') return [{ type: 'text', text: '[image]' }];
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  return part.signature === null
    ? [{ type: 'reasoning', text: part.text }]
    : [
        {
          type: 'reasoning',
          text: part.text,
          providerOptions: { anthropic: { signature: part.signature } },
        },
      ];
}

/** Parts of the assistant message that a step's calls belong to: the one just before them, else one of their own. */
function assistantOf(messages: AiSdkMessage[]): AssistantPart[] {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last.content;
  const content: AssistantPart[] = [];
  messages.push({ role: 'assistant', content });
  return content;
}

function resultsOf(messages: AiSdkMessage[]): ToolPart[] {
  const last = messages.at(-1);
  if (last?.role === 'tool') return last.content;
  const content: ToolPart[] = [];
  messages.push({ role: 'tool', content });
  return content;
}

function callOf(entry: Entry): AssistantPart {
  return {
    type: 'tool-call',
    toolCallId: entry.call_id ?? '',
    toolName: entry.tool ?? '',
    input: inputOf(entry.text),
  };
}

function resultOf(entry: Entry, names: ReadonlyMap<string, string>): ToolPart {
  const type = entry.is_error === true ? 'error-text' : 'text';
  return {
    type: 'tool-result',
    toolCallId: entry.call_id ?? '',
    toolName: names.get(entry.call_id ?? '') ?? '',
    output: { type, value: shownText(entry) },
  };
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}
