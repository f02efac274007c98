import { emptyFoldState, foldChatEvent } from '@palimpsest/derivations';
import type { ChatEvent } from '@palimpsest/events';
import { createExtractiveModel, type SourceMessage } from '@palimpsest/llm';
import type { Held, Strategy, SummaryLeaf } from '@palimpsest/strategy';
import { counter } from './fold-in-memory.js';

const model = createExtractiveModel({ countTokens: (text) => counter.count(text) });

/** The leaves that the summarizer makes without a model of a conversation that goes on event by event. */
export function extractiveLeaves({ settings }: Strategy): {
  add(event: ChatEvent, offset: bigint, entries: readonly Held[]): Promise<void>;
  leaves: SummaryLeaf[];
} {
  const fold = emptyFoldState();
  const leaves: SummaryLeaf[] = [];
  return {
    leaves,
    async add(event, offset, entries) {
      const { summary } = settings;
      if (summary === null) return;
      const blocks = { block: summary.block, keepLive: summary.keep_live };
      for (const { from, to, seenOffset } of foldChatEvent(fold, event, offset, blocks)) {
        const messages = entries.filter(({ order }) => from <= order && order <= to).map(sourceOf);
        const request = { messages, language: null, maxTokens: summary.leaf_tokens };
        const made = await model.summarize(request, new AbortController().signal);
        leaves.push({ from, to, seen: seenOffset, text: made.text, carried: made.carried });
      }
    },
  };
}

function sourceOf({ entry }: Held): SourceMessage {
  const speaker = entry.role === 'user' || entry.role === 'assistant' ? entry.role : 'unknown';
  return {
    id: entry.id,
    kind: entry.kind,
    role: entry.kind === 'message' ? speaker : null,
    text: entry.text,
    tool: entry.tool ?? null,
    at: entry.at,
  };
}
