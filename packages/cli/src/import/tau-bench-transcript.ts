import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { UNKNOWN_TOOL } from './openai-messages.js';

interface Turn {
  role: string;
  text: string;
}

/**
 * A few-shot transcript: `user: …`, `assistant: …`, `tool: …`, each from the start of a line to the next such line.
 * The file shows a call as `assistant: None` (or as the text before the `tool:` line) and has lost its name and
 * arguments: every `tool:` line becomes a tool_call of the tool `unknown` with arguments `{}` and, at once, its
 * tool_result, so that the pair is whole. `assistant: None` itself makes no event; one without a result is skipped.
 */
export function* readTranscript(transcript: string, conversation: Conversation): Generator<ImportItem> {
  const turns = turnsOf(transcript);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'tool') {
      yield* readLostCall(turn, index, conversation);
    } else if (turn.role === '') {
      yield conversation.skipped(WHOLE, 'text before the first role of a transcript');
    } else if (turn.role === 'assistant' && turn.text.trim() === 'None') {
      if (turns[index + 1]?.role !== 'tool')
        yield conversation.skipped(index, 'a lost call without a result');
    } else if (turn.text.trim() === '') {
      yield conversation.skipped(index, 'the message is empty');
    } else {
      yield conversation.event(index, 'message', { type: 'message', role: turn.role, content: turn.text });
    }
  }
}

function* readLostCall(turn: Turn, index: number, conversation: Conversation): Generator<ImportItem> {
  const callId = `call-${index}`;
  const call = { type: 'tool_call', call_id: callId, tool: UNKNOWN_TOOL, arguments: '{}' };
  yield conversation.event(index, 'tool_call', { ...call, step_id: `step-${index}` });
  yield conversation.event(index, 'tool_result', {
    type: 'tool_result',
    call_id: callId,
    content: turn.text,
  });
}

const ROLE = /^(user|assistant|tool|system):(?: |\r?$)/;

function turnsOf(transcript: string): Turn[] {
  const turns: Turn[] = [];
  for (const line of transcript.split('\n')) {
    const role = ROLE.exec(line);
    const last = turns.at(-1);
    if (role !== null) turns.push({ role: String(role[1]), text: line.slice(role[0].length) });
    else if (last !== undefined) last.text += `\n${line}`;
    else if (line.trim() !== '') turns.push({ role: '', text: line });
  }
  return turns;
}
