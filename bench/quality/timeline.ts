import { foldChatEvent, emptyFoldState } from '@palimpsest/derivations';
import type { ChatEvent } from '@palimpsest/events';
import { createExtractiveModel, type SourceMessage } from '@palimpsest/llm';
import {
  assemble,
  type Assembled,
  type ConversationState,
  decideMode,
  emptyState,
  foldEntry,
  formatOpenAi,
  type Held,
  insertSorted,
  type OpenAiMessage,
  placeOf,
  type Strategy,
  type SummaryLeaf,
} from '@palimpsest/strategy';
import { tokenCounter } from '@palimpsest/tokens';
import { toEntry } from '@palimpsest/truncator';

export const counter = tokenCounter(null);
const model = createExtractiveModel({ countTokens: (text) => counter.count(text) });

/** One conversation under one strategy, event by event, with the summaries that need no model. */
export class Timeline {
  readonly #strategy: Strategy;
  readonly #state: ConversationState = emptyState();
  readonly #fold = emptyFoldState();
  readonly #entries: Held[] = [];
  readonly #originals = new Map<string, string>();
  readonly #leaves: SummaryLeaf[] = [];
  #offset = -1n;

  constructor(strategy: Strategy) {
    this.#strategy = strategy;
  }

  async add(event: ChatEvent): Promise<void> {
    this.#offset += 1n;
    const place = placeOf(this.#state, { seq: event.seq, offset: this.#offset });
    if ('conflict' in place) return;
    decideMode(this.#state, event.seq);
    if (event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result') {
      const where = { order: place.order, offset: this.#offset };
      const { held, artifact } = toEntry(event, where, this.#strategy.settings, counter);
      if (artifact !== null) this.#originals.set(artifact.id, artifact.content);
      insertSorted(this.#entries, held);
      foldEntry(this.#state, held, this.#strategy.settings);
    }
    await this.#summarize(event);
  }

  /** As the reader does, gives the assembly older entries for as long as more would fit. */
  context(budget: number): Assembled & { messages: OpenAiMessage[] } {
    const { evicted } = this.#state;
    const older = this.#entries.filter((held) => evicted !== null && held.order <= evicted);
    for (let count = 0; ; count = Math.max(200, 2 * count)) {
      const assembled = assemble({
        state: this.#state,
        older: count === 0 ? [] : older.slice(-count),
        originals: this.#originals,
        leaves: this.#leaves,
        facts: [],
        budget,
        settings: this.#strategy.settings,
        counter,
      });
      if (!assembled.short || count >= older.length) {
        return { ...assembled, messages: formatOpenAi(assembled.pieces) };
      }
    }
  }

  /** Tokens of the whole conversation as sent. */
  get fullTokens(): number {
    return this.#state.totals.original_tokens;
  }

  async #summarize(event: ChatEvent): Promise<void> {
    const { summary } = this.#strategy.settings;
    if (summary === null) return;
    const settings = { block: summary.block, keepLive: summary.keep_live };
    for (const { from, to, seenOffset } of foldChatEvent(this.#fold, event, this.#offset, settings)) {
      const messages = this.#entries.filter(({ order }) => from <= order && order <= to).map(sourceOf);
      const request = { messages, language: null, maxTokens: summary.leaf_tokens };
      const made = await model.summarize(request, NEVER).catch(() => null);
      if (made === null) continue;
      this.#leaves.push({ from, to, seen: seenOffset, text: made.text, carried: made.carried });
    }
  }
}

const NEVER = new AbortController().signal;

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
