import {
  assemble,
  type ConversationState,
  countEntry,
  FloorError,
  formatOpenAi,
  type Held,
  heldEntries,
  hold,
  type Strategy,
  type StrategySettings,
} from '@palimpsest/strategy';
import { type TokenCounter, tokenCounter } from '@palimpsest/tokens';
import { formatPosition } from '@palimpsest/views';
import type pg from 'pg';
import type { ContextAnswer, ContextReader, ContextRequest } from '../context-reader.js';
import { loadOlder, loadOriginals, loadView, type View, type ViewKey } from './load-view.js';

export interface ContextReaderOptions {
  pool: pg.Pool;
  live(): LiveStrategy | Promise<LiveStrategy>;
  /** ms since 1970; judges the validity of facts. */
  now(): number;
}

export interface LiveStrategy {
  generation: number;
  strategy: Strategy;
}

/** Reads a conversation's view and assembles its context by the live strategy. */
export function createContextReader(
  options: ContextReaderOptions,
): ContextReader & { load(what: Pick<ContextRequest, 'tenant' | 'conversation'>): Promise<View | null> } {
  return {
    /** The storage read alone. */
    async load(what) {
      return loadView(options.pool, keyOf(await options.live(), what), options.now());
    },
    async read(request) {
      const live = await options.live();
      const key = keyOf(live, request);
      const view = await loadView(options.pool, key, options.now());
      if (view === null) return { notFound: true };
      return answer(options.pool, key, view, request, live);
    },
  };
}

function keyOf(live: LiveStrategy, what: Pick<ContextRequest, 'tenant' | 'conversation'>): ViewKey {
  return { generation: live.generation, tenant: what.tenant, conversation: what.conversation };
}

async function answer(
  pool: pg.Pool,
  key: ViewKey,
  view: View,
  request: ContextRequest,
  live: LiveStrategy,
): Promise<ContextAnswer> {
  const settings = respectOptOuts(live.strategy.settings, view.state);
  const counter = counterOf(view.state);
  const state = recount(view.state, counter);
  const older = await olderFor(pool, key, state, settings, request.budget);
  const originals = await originalsFor(pool, key, state, settings, request.budget, older);
  try {
    const assembled = assemble({
      state,
      older: older.map((held) => recountEntry(held, counter)),
      originals,
      leaves: view.leaves,
      facts: view.facts,
      budget: request.budget,
      settings,
      counter,
    });
    const messages = formatOpenAi(assembled.pieces);
    return {
      body: {
        position: formatPosition(view.partition, view.offset),
        strategy: live.strategy.label,
        generation: live.generation,
        messages,
        tools: [],
        tokens: { total: assembled.tokens.total, by_slot: assembled.tokens.slots },
        stable_prefix_tokens: assembled.stablePrefixTokens,
        left_out: assembled.leftOut,
        warnings: [...warningsOf(state), ...assembled.warnings],
      },
      content: JSON.stringify(messages),
    };
  } catch (error) {
    if (!(error instanceof FloorError)) throw error;
    const { rules, pins, newest } = error.floor;
    return { floor: { rules, pins, newest, total: rules + pins + newest } };
  }
}

/** Entries that the view's row does not hold, where the budget asks for more than it holds. */
async function olderFor(
  pool: pg.Pool,
  key: ViewKey,
  state: ConversationState,
  settings: StrategySettings,
  budget: number,
): Promise<Held[]> {
  if (state.evicted === null) return [];
  const held = heldEntries(state).reduce((tokens, one) => tokens + one.entry.tokens, 0);
  const entries = (settings.window.messages ?? Number.POSITIVE_INFINITY) - state.window.length;
  if (held >= budget || entries <= 0) return [];
  return loadOlder(pool, key, state.evicted, { tokens: budget - held, entries });
}

/** Originals are shown only while the whole conversation fits with them; until then none are read. */
async function originalsFor(
  pool: pg.Pool,
  key: ViewKey,
  state: ConversationState,
  settings: StrategySettings,
  budget: number,
  older: readonly Held[],
): Promise<Map<string, string>> {
  if (settings.cut.when !== 'over_budget' || state.totals.original_tokens > budget) return new Map();
  const artifacts = [...older, ...state.window, ...state.kept].flatMap(({ entry }) => entry.artifact ?? []);
  return loadOriginals(pool, key, [...new Set(artifacts)]);
}

/** `verbatim` and `full_context`: nothing is replaced by what a model made of it. */
function respectOptOuts(settings: StrategySettings, state: ConversationState): StrategySettings {
  const optedOut =
    state.settings.get('verbatim')?.value === true || state.settings.get('full_context')?.value === true;
  return optedOut ? { ...settings, summary: null, facts: null } : settings;
}

function warningsOf(state: ConversationState): string[] {
  const warnings: string[] = [];
  if (state.conflicts > 0) {
    warnings.push(`${state.conflicts} events of this conversation conflict with others and are not shown`);
  }
  for (const flag of ['verbatim', 'full_context'] as const) {
    if (state.settings.get(flag)?.value === true) warnings.push(`the conversation is flagged ${flag}`);
  }
  return warnings;
}

function counterOf(state: ConversationState): TokenCounter {
  const model = state.settings.get('model')?.value;
  return tokenCounter(typeof model === 'string' ? model : null);
}

/** Views count in o200k_base; a conversation whose model counts otherwise is counted anew with its tokenizer. */
function recount(state: ConversationState, counter: TokenCounter): ConversationState {
  if (counter === tokenCounter(null)) return state;
  const each = (list: readonly Held[]): Held[] => list.map((held) => recountEntry(held, counter));
  const window = each(state.window);
  const before = sum(state.window);
  const scale = before === 0 ? counter.margin : sum(window) / before;
  return {
    ...state,
    window,
    kept: each(state.kept),
    pins: new Map([...state.pins].map(([id, pin]) => [id, { ...pin, held: each(pin.held) }])),
    totals: {
      ...state.totals,
      tokens: Math.ceil(state.totals.tokens * scale),
      original_tokens: Math.ceil(state.totals.original_tokens * scale),
    },
  };
}

function recountEntry(held: Held, counter: TokenCounter): Held {
  if (counter === tokenCounter(null)) return held;
  const tokens = countEntry(counter, held.entry);
  const original_tokens = Math.ceil((held.entry.original_tokens / Math.max(1, held.entry.tokens)) * tokens);
  return hold({ ...held.entry, tokens, original_tokens });
}

function sum(list: readonly Held[]): number {
  return list.reduce((tokens, held) => tokens + held.entry.tokens, 0);
}
