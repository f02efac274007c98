import type { ChatEvent } from '@palimpsest/events';
import {
  type AssembleInput,
  assemble,
  type Assembled,
  type ConversationState,
  decideMode,
  declareTools,
  type DeclaredTools,
  emptyState,
  foldEntry,
  formatOpenAi,
  type Held,
  insertSorted,
  type OpenAiMessage,
  parseStrategy,
  foldTask,
  placeOf,
  refoldTask,
  type SentTool,
  staleTasks,
  type Strategy,
  taskWord,
  type TaskWord,
} from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { exactJson, foldControl } from '../../services/truncator/src/fold-control.js';
import { pinnedEntries } from '../../services/truncator/src/pinned-entries.js';
import { toEntry } from '../../services/truncator/src/to-entry.js';

export interface Folded {
  state: ConversationState;
  entries: Held[];
  originals: Map<string, string>;
  tools: DeclaredTools | null;
}

export const counter = tokenCounter(null);

export function strategyOf(yaml: string): Strategy {
  return parseStrategy(yaml, 'test.yaml');
}

/** Events of one conversation through the pure part of the truncator, offsets by position. */
export function foldEvents(events: readonly ChatEvent[], strategy: Strategy): Folded {
  const folding = foldingOf(strategy);
  for (const event of events) folding.add(event);
  return folding.folded();
}

/** Folds event by event, so that every state on the way can be looked at. */
export function foldingOf({ settings }: Strategy): { add(event: ChatEvent): void; folded(): Folded } {
  const state = emptyState();
  const entries: Held[] = [];
  const originals = new Map<string, string>();
  const words: TaskWord[] = [];
  let tools: DeclaredTools | null = null;
  const seen = new Set<string>();
  let offset = -1n;
  return {
    add(event) {
      offset += 1n;
      if (seen.has(event.event_id)) return;
      seen.add(event.event_id);
      const place = placeOf(state, { seq: event.seq, offset });
      if ('conflict' in place) return;
      decideMode(state, event.seq);
      if (event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result') {
        const { held, artifact } = toEntry(event, { order: place.order, offset }, settings, counter);
        if (artifact !== null) originals.set(artifact.id, artifact.content);
        insertSorted(entries, held);
        foldEntry(state, held, settings);
      } else {
        foldControl(state, event, place.order);
        if (event.type === 'state_patch' || event.type === 'phase') words.push(taskWord(event, place.order));
        if (event.type === 'tools_declared' && (tools === null || place.order > tools.order)) {
          tools = { order: place.order, tools: declareTools(event.tools, counter) };
        }
      }
    },
    folded() {
      for (const [id, pin] of state.pins) {
        if (pin.pinned) pin.held = pinnedEntries(id, entries, originals, counter);
      }
      for (const task of staleTasks(state)) {
        refoldTask(
          state,
          foldTask(
            words.filter((word) => word.task === task),
            exactJson,
          ),
        );
      }
      return { state, entries, originals, tools };
    },
  };
}

/**
 * The context of folded events at a budget, and its messages in OpenAI's format. As the reader does, it gives the
 * assembly older entries for as long as more would fit.
 */
export function contextOf(
  folded: Folded,
  strategy: Strategy,
  budget: number,
  more: Partial<AssembleInput> = {},
): Assembled & { messages: OpenAiMessage[] } {
  const { state } = folded;
  const evicted = folded.entries.filter((held) => state.evicted !== null && held.order <= state.evicted);
  for (let count = 0; ; count = Math.max(10, 2 * count)) {
    const assembled = assemble({
      state,
      older: count === 0 ? [] : evicted.slice(-count),
      originals: folded.originals,
      leaves: [],
      facts: [],
      tools: folded.tools,
      budget,
      settings: strategy.settings,
      counter,
      ...more,
    });
    if (!assembled.short || count >= evicted.length) {
      return { ...assembled, messages: formatOpenAi(assembled.pieces) };
    }
  }
}

/** Tokens of declared tools as sent, counted anew: name, description and schema with 7 beside them, and 12 once. */
export function sentToolTokens(tools: readonly SentTool[]): number {
  return tools.reduce(
    (sum, tool) =>
      sum + 7 + counter.count(tool.name) + counter.count(tool.description) + counter.count(tool.schema),
    tools.length === 0 ? 0 : 12,
  );
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
