import type { Piece } from './assemble.js';
import type { Entry, EntryPart } from './entry.js';
import { shownText } from './fit-unit.js';

/** Messages of OpenAI's chat completions, ready to send. */
export type OpenAiMessage =
  | { role: 'system' | 'developer'; content: string }
  | { role: 'user'; content: string | OpenAiPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: OpenAiCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };
type OpenAiPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };
interface OpenAiCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * Pieces as OpenAI messages. Every `tool` message follows the assistant message with its call; an assistant text
 * directly before a step's calls is one message with them. Keys stand in a fixed order. Thinking has no place in this
 * format and is not sent.
 */
export function formatOpenAi(pieces: readonly Piece[]): OpenAiMessage[] {
  const messages: OpenAiMessage[] = [];
  for (const piece of pieces) {
    if (piece.kind !== 'unit') {
      messages.push({ role: 'system', content: piece.text });
      continue;
    }
    const calls = piece.unit.entries
      .filter((held) => held.entry.kind === 'tool_call')
      .map((held) => held.entry);
    if (calls.length > 0) {
      const tool_calls = calls.map(toCall);
      const last = messages[messages.length - 1];
      if (last?.role === 'assistant' && last.tool_calls === undefined) last.tool_calls = tool_calls;
      else messages.push({ role: 'assistant', content: null, tool_calls });
    }
    for (const { entry } of piece.unit.entries) {
      if (entry.kind === 'message') {
        const message = toMessage(entry);
        if (message.content !== '' && message.content?.length !== 0) messages.push(message);
      }
      if (entry.kind === 'tool_result') {
        messages.push({ role: 'tool', tool_call_id: entry.call_id ?? '', content: shownText(entry) });
      }
    }
  }
  return messages;
}

function toCall(entry: Entry): OpenAiCall {
  return {
    id: entry.call_id ?? '',
    type: 'function',
    function: { name: entry.tool ?? '', arguments: entry.text },
  };
}

function toMessage(entry: Entry): OpenAiMessage {
  switch (entry.role) {
    case 'system':
    case 'developer':
      return { role: entry.role, content: shownText(entry) };
    case 'assistant':
      return { role: 'assistant', content: shownText(entry) };
    default:
      return { role: 'user', content: entry.parts === undefined ? entry.text : entry.parts.flatMap(toPart) };
  }
}

function toPart(part: EntryPart): OpenAiPart[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind === 'thinking') return [];
  const url = part.url ?? `data:${part.mime ?? 'application/octet-stream'};base64,${part.data ?? ''}`;
  return [{ type: 'image_url', image_url: { url } }];
}
