import type { ChatEvent } from '@palimpsest/events';
import {
  type AssembleInput,
  assemble,
  type Assembled,
  type ConversationState,
  decideMode,
  emptyState,
  foldEntry,
  foldPin,
  foldPinned,
  foldSettings,
  formatOpenAi,
  type Held,
  type OpenAiMessage,
  parseStrategy,
  placeOf,
  type Strategy,
} from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { toEntry } from '../../services/truncator/src/to-entry.js';

export interface Folded {
  state: ConversationState;
  entries: Held[];
  originals: Map<string, string>;
}

export const counter = tokenCounter(null);

export function strategyOf(yaml: string): Strategy {
  return parseStrategy(yaml, 'test.yaml');
}

/** Events of one conversation through the pure part of the truncator, offsets by position. */
export function foldEvents(events: readonly ChatEvent[], strategy: Strategy): Folded {
  const state = emptyState();
  const entries: Held[] = [];
  const originals = new Map<string, string>();
  const whole = new Map<string, Held>();
  const seen = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (seen.has(event.event_id)) continue;
    seen.add(event.event_id);
    const place = placeOf(state, { seq: event.seq, offset: BigInt(index) });
    if ('conflict' in place) continue;
    decideMode(state, event.seq);
    if (event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result') {
      const { held, artifact } = toEntry(
        event,
        { order: place.order, offset: BigInt(index) },
        strategy.settings,
        counter,
      );
      if (artifact !== null) originals.set(artifact.id, artifact.content);
      entries.push(held);
      whole.set(event.event_id, held);
      foldEntry(state, held, strategy.settings);
      foldPinned(state, event.event_id, [held]);
    } else if (event.type === 'pin' || event.type === 'unpin') {
      const held = whole.get(event.message_id);
      foldPin(state, {
        messageId: event.message_id,
        pinned: event.type === 'pin',
        order: place.order,
        held: held === undefined ? [] : [held],
      });
    } else if (event.type === 'conversation_settings') {
      foldSettings(state, place.order, { model: event.model });
    }
  }
  return { state, entries, originals };
}

/** The context of folded events at a budget, and its messages in OpenAI's format. */
export function contextOf(
  folded: Folded,
  strategy: Strategy,
  budget: number,
  more: Partial<AssembleInput> = {},
): Assembled & { messages: OpenAiMessage[] } {
  const assembled = assemble({
    state: folded.state,
    older: [],
    originals: folded.originals,
    leaves: [],
    facts: [],
    budget,
    settings: strategy.settings,
    counter,
    ...more,
  });
  return { ...assembled, messages: formatOpenAi(assembled.pieces) };
}

/** Tokens of OpenAI messages as sent, counted anew and apart from the assembly's own sums. */
export function sentTokens(
  messages: readonly OpenAiMessage[],
  count: (text: string) => number = (text) => counter.count(text),
): number {
  let tokens = 3;
  for (const message of messages) {
    tokens += 4;
    if (typeof message.content === 'string') tokens += count(message.content);
    else for (const part of message.content ?? []) tokens += part.type === 'text' ? count(part.text) : 1600;
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) {
        tokens += count(call.function.name) + count(call.function.arguments) + 3;
      }
    }
  }
  return tokens;
}
