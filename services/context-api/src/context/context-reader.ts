import {
  ANTHROPIC_OPENING_TOKENS,
  assemble,
  type Assembled,
  type AssembleInput,
  type ConversationState,
  FloorError,
  type Held,
  KillSwitchError,
  type StrategySettings,
} from '@palimpsest/strategy';
import { type TokenCounter, tokenCounter } from '@palimpsest/tokens';
import { formatPosition } from '@palimpsest/views';
import type pg from 'pg';
import type { ContextAnswer, ContextReader, ContextRequest } from '../context-reader.js';
import type { GenerationOfViews, LiveStrategies } from '../live-strategies.js';
import { formatContext } from './format-context.js';
import { formatTools } from './format-tools.js';
import { loadRecalled } from './load-recalled.js';
import { loadOlder, loadOriginals, loadView, type View, type ViewKey } from './load-view.js';

export interface ContextReaderOptions {
  pool: pg.Pool;
  strategies: LiveStrategies;
  /** ms since 1970; judges the validity of facts. */
  now(): number;
}

/** Reads a conversation's view and assembles its context by the strategy of the view's generation. */
export function createContextReader(options: ContextReaderOptions): ContextReader & {
  /** The storage read alone. */
  load(what: Conversation): Promise<View | null>;
} {
  const { pool, strategies, now } = options;
  /** View and strategy of one generation: that which was live when the view was read. */
  async function loadLive(what: Conversation): Promise<{ live: GenerationOfViews; view: View | null }> {
    let live = await strategies.seen();
    for (;;) {
      const { view, liveGeneration } = await loadView(pool, keyOf(live, what), now());
      if (liveGeneration === live.generation) return { live, view };
      live = await strategies.current();
    }
  }
  async function loadLabelled(label: string, what: Conversation) {
    const live = await strategies.labelled(label);
    return live === null ? null : { live, view: (await loadView(pool, keyOf(live, what), now())).view };
  }
  return {
    async load(what) {
      return (await loadLive(what)).view;
    },
    async read(request) {
      const loaded =
        request.strategy === undefined
          ? await loadLive(request)
          : await loadLabelled(request.strategy, request);
      if (loaded === null) return { noStrategy: true };
      const { live, view } = loaded;
      if (view === null) return { notFound: true };
      return answer(pool, keyOf(live, request), view, request, live);
    },
  };
}

type Conversation = Pick<ContextRequest, 'tenant' | 'conversation'>;

function keyOf(live: GenerationOfViews, what: Conversation): ViewKey {
  return { generation: live.generation, tenant: what.tenant, conversation: what.conversation };
}

async function answer(
  pool: pg.Pool,
  key: ViewKey,
  view: View,
  request: ContextRequest,
  live: GenerationOfViews,
): Promise<ContextAnswer> {
  const { state } = view;
  const settings = respectOptOuts(live.strategy.settings, state);
  const counter = counterOf(state);
  try {
    const input: AssembleInput = {
      state,
      older: [],
      originals: await originalsFor(pool, key, view, settings, request.budget),
      leaves: view.leaves,
      facts: view.facts,
      budget: request.budget,
      settings,
      counter,
      recounts: counter !== tokenCounter(null),
      tools: view.tools,
      ...(await recalledFor(pool, key, view, settings, request)),
    };
    let assembled = await assembleWithOlder(pool, key, input);
    let { sent, added } = formatContext(assembled, request);
    if (assembled.tokens.total + added > request.budget) {
      const budget = request.budget - ANTHROPIC_OPENING_TOKENS;
      assembled = await assembleWithOlder(pool, key, { ...input, budget });
      ({ sent, added } = formatContext(assembled, request));
    }
    const { total, slots } = assembled.tokens;
    const tools = formatTools(assembled.tools, request.format);
    return {
      body: {
        position: formatPosition(view.partition, view.offset),
        strategy: live.strategy.label,
        generation: live.generation,
        ...sent,
        tools,
        tokens: { total: total + added, by_slot: { ...slots, tail: slots.tail + added } },
        stable_prefix_tokens: assembled.stablePrefixTokens,
        left_out: assembled.leftOut,
        warnings: [...warningsOf(state), ...assembled.warnings],
      },
      generation: live.generation,
      content: JSON.stringify(tools.length === 0 ? sent : { ...sent, tools }),
    };
  } catch (error) {
    if (error instanceof KillSwitchError) return { killed: { limit: error.limit, dump: error.dump } };
    if (!(error instanceof FloorError)) throw error;
    const { rules, pins, newest } = error.floor;
    return { floor: { rules, pins, newest, total: rules + pins + newest }, why: error.message };
  }
}

/**
 * The context, with entries older than the row's window read for as long as more of them would fit: pages that double,
 * so that the work is in proportion to what is shown. Budgets up to what the row holds read none.
 */
async function assembleWithOlder(pool: pg.Pool, key: ViewKey, input: AssembleInput): Promise<Assembled> {
  let older: Held[] = [];
  let edge = input.state.evicted;
  for (let page = FIRST_PAGE; ; page *= 2) {
    const assembled = assemble({ ...input, older });
    if (!assembled.short || edge === null) return assembled;
    const read = await loadOlder(pool, key, edge, page);
    older = read.concat(older);
    edge = read.length < page ? null : (read[0] as Held).order - 1n;
  }
}

const FIRST_PAGE = 200;

/** Originals are shown only while the whole conversation fits with them; until then none are read. */
async function originalsFor(
  pool: pg.Pool,
  key: ViewKey,
  { state }: View,
  settings: StrategySettings,
  budget: number,
): Promise<Map<string, string>> {
  const { tokens, original_tokens } = state.totals;
  if (settings.cut.when !== 'over_budget' || original_tokens === tokens) return new Map();
  return original_tokens > budget ? new Map() : loadOriginals(pool, key);
}

/** What the query finds, where the strategy has a slot for it and not everything is shown anyway. */
async function recalledFor(
  pool: pg.Pool,
  key: ViewKey,
  { state }: View,
  { slots, recall }: StrategySettings,
  { query, budget }: ContextRequest,
): Promise<Pick<AssembleInput, 'query' | 'recalled'>> {
  const about = query?.trim() ?? '';
  if (about === '') return {};
  if (slots?.recalled === undefined || state.totals.tokens < budget / 2) return { query: about };
  return { query: about, recalled: await loadRecalled(pool, key, about, recall?.score_floor ?? SCORE_FLOOR) };
}

const SCORE_FLOOR = 0.2;

/** `verbatim` and `full_context`: nothing is replaced by what a model made of it, nothing held to a slot. */
function respectOptOuts(settings: StrategySettings, state: ConversationState): StrategySettings {
  const optedOut =
    state.settings.get('verbatim')?.value === true || state.settings.get('full_context')?.value === true;
  if (!optedOut) return settings;
  const { slots, weights: _, delta: __, ...rest } = settings;
  const { tool_results: ___, tail: ____, ...kept } = slots ?? { system_overflow: 'cut' as const };
  return {
    ...rest,
    summary: null,
    facts: null,
    ...(slots === undefined ? {} : { slots: kept as typeof slots }),
  };
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
