import type { ChatEvent } from '@palimpsest/events';
import {
  type AssembleInput,
  assemble,
  type Assembled,
  declareTools,
  type DeclaredTools,
  decideMode,
  emptyState,
  foldEntry,
  foldTask,
  type Held,
  insertSorted,
  placeOf,
  refoldTask,
  staleTasks,
  type Strategy,
  taskWord,
  type TaskWord,
} from '@palimpsest/strategy';
import { type TokenCounter, tokenCounter } from '@palimpsest/tokens';
import { exactJson, foldControl, pinnedEntries, toEntry } from '@palimpsest/truncator';

/** Pages in which older entries are given to the assembly, as the reader reads them. */
const FIRST_PAGE = 200;

/** One conversation under one strategy, event by event, in memory; no summaries are made, since no model is called. */
export class SessionFold {
  readonly #strategy: Strategy;
  readonly #counter: TokenCounter = tokenCounter(null);
  readonly #state = emptyState();
  readonly #entries: Held[] = [];
  readonly #originals = new Map<string, string>();
  readonly #words: TaskWord[] = [];
  #tools: DeclaredTools | null = null;
  #offset = -1n;

  constructor(strategy: Strategy) {
    this.#strategy = strategy;
  }

  /** Tokens of the whole conversation as sent. */
  get fullTokens(): number {
    return this.#state.totals.original_tokens;
  }

  add(event: ChatEvent): void {
    this.#offset += 1n;
    const place = placeOf(this.#state, { seq: event.seq, offset: this.#offset });
    if ('conflict' in place) return;
    decideMode(this.#state, event.seq);
    if (event.type === 'message' || event.type === 'tool_call' || event.type === 'tool_result') {
      const where = { order: place.order, offset: this.#offset };
      const { held, artifact } = toEntry(event, where, this.#strategy.settings, this.#counter);
      if (artifact !== null) this.#originals.set(artifact.id, artifact.content);
      insertSorted(this.#entries, held);
      foldEntry(this.#state, held, this.#strategy.settings);
      return;
    }
    foldControl(this.#state, event, place.order);
    if (event.type === 'state_patch' || event.type === 'phase')
      this.#words.push(taskWord(event, place.order));
    if (event.type === 'tools_declared' && place.order > (this.#tools?.order ?? -1n)) {
      this.#tools = { order: place.order, tools: declareTools(event.tools, this.#counter) };
    }
  }

  /** Throws FloorError and KillSwitchError as the context of the API would. */
  context(budget: number): Assembled {
    this.#settle();
    const { evicted } = this.#state;
    const older = this.#entries.filter((held) => evicted !== null && held.order <= evicted);
    for (let count = 0; ; count = Math.max(FIRST_PAGE, 2 * count)) {
      const input: AssembleInput = {
        state: this.#state,
        older: count === 0 ? [] : older.slice(-count),
        originals: this.#originals,
        leaves: [],
        facts: [],
        tools: this.#tools,
        budget,
        settings: this.#strategy.settings,
        counter: this.#counter,
      };
      const assembled = assemble(input);
      if (!assembled.short || count >= older.length) return assembled;
    }
  }

  #settle(): void {
    for (const [id, pin] of this.#state.pins) {
      if (pin.pinned) pin.held = pinnedEntries(id, this.#entries, this.#originals, this.#counter);
    }
    for (const task of staleTasks(this.#state)) {
      const words = this.#words.filter((word) => word.task === task);
      refoldTask(this.#state, foldTask(words, exactJson));
    }
  }
}
