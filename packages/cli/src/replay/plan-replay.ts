import {
  type DerivationJob,
  type DerivationSettings,
  emptyFoldState,
  foldChatEvent,
  type FoldState,
  identify,
  jobOf,
  sourceMessage,
} from '@palimpsest/derivations';
import { type ChatEvent, TOPICS } from '@palimpsest/events';
import { factSettings, isWorthExtracting } from '@palimpsest/fact-extractor';
import { readSeedPrices } from '@palimpsest/ledger';
import type { Strategy } from '@palimpsest/strategy';
import { isWorthSummarizing, summarySettings } from '@palimpsest/summarizer';
import { tokenCounter } from '@palimpsest/tokens';
import { toEntry } from '@palimpsest/truncator';
import type { BuildParts } from './build-generation.js';
import { eventsOf } from './events-of.js';
import { acceptsOf, type ReplayScope } from './scope.js';

type Source = ReturnType<typeof sourceMessage>;

/** What a replay would do. */
export interface ReplayPlan {
  events: number;
  conversations: number;
  /** Of the real one, from the time the plan took. */
  seconds: number;
  /** Answers that lie in the log already, and calls that would be made. */
  derivations: { reused: number; calls: number };
  /** Of those calls, with the instructions left out of the account. */
  tokens: { input: number; outputAtMost: number };
  /** Dollars, from what is likely least to what it cannot exceed but by answers asked for again; null = price not known. */
  dollars: [number, number] | null;
}

/** Dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
}

/** A replay writes what the plan only makes: measured with `bench replay`. */
const SECONDS_PER_PLANNED = 2.5;
/** Of the cap that an answer has, the part that answers seldom stay below. */
const LEAST_ANSWER = 0.25;

interface Question {
  purpose: 'summary' | 'facts';
  settings: DerivationSettings;
  promptHash(job: DerivationJob): string;
  isWorthAsking(source: { messages: Source[] }): boolean;
}

interface Conversation {
  folds: FoldState[];
  /** By order; those behind every block that is cut are let go. */
  sources: Map<bigint, { offset: bigint; isRule: boolean; message: Source }>;
}

/** Reads the log as a replay would, and writes nothing: which questions it would ask, and which are answered. */
export async function planReplay(
  { log, codec, model }: BuildParts,
  strategy: Strategy,
  scope: ReplayScope,
  given: ModelPrice | null,
): Promise<ReplayPlan> {
  const begin = performance.now();
  const decode = (record: { value: Buffer | null; headers: Record<string, string> }) =>
    codec.decode(record.value as Buffer, record.headers);
  const accepts = await acceptsOf(scope, log, decode);
  const answered = new Set<string>();
  for await (const { event } of eventsOf(log, TOPICS.derivations, decode)) answered.add(event.event_id);
  const questions = questionsOf(strategy, model);
  const conversations = new Map<string, Conversation>();
  const plan: ReplayPlan = {
    events: 0,
    conversations: 0,
    seconds: 0,
    derivations: { reused: 0, calls: 0 },
    tokens: { input: 0, outputAtMost: 0 },
    dollars: null,
  };
  const asked = new Set<string>();
  for await (const { record, event } of eventsOf(log, TOPICS.messages, decode)) {
    if (accepts?.(event) === false) continue;
    plan.events += 1;
    const key = `${event.tenant}\0${event.conversation_id}`;
    const conversation = conversations.get(key) ?? {
      folds: questions.map(() => emptyFoldState()),
      sources: new Map(),
    };
    conversations.set(key, conversation);
    remember(conversation, event as ChatEvent, record.offset, strategy);
    for (const [index, question] of questions.entries()) {
      const state = conversation.folds[index] as FoldState;
      for (const trigger of foldChatEvent(state, event as ChatEvent, record.offset, question.settings)) {
        const job = jobOf(event.tenant, event.conversation_id, record.partition, trigger);
        const messages = sourcesOf(conversation, trigger);
        if (!question.isWorthAsking({ messages })) continue;
        const { id } = identify(question.purpose, question.promptHash(job), job, messages);
        if (answered.has(id)) plan.derivations.reused += 1;
        else if (!asked.has(id)) {
          asked.add(id);
          plan.derivations.calls += 1;
          plan.tokens.input += messages.reduce((sum, { text }) => sum + tokenCounter(null).count(text), 0);
          plan.tokens.outputAtMost += question.settings.maxTokens;
        }
      }
    }
  }
  plan.conversations = conversations.size;
  plan.seconds = Math.ceil(((performance.now() - begin) / 1000) * SECONDS_PER_PLANNED);
  plan.dollars = dollarsOf(plan, model.provider === 'palimpsest' ? { input: 0, output: 0 } : given);
  return plan;
}

/** The price of a model that the ledger's own list knows; null where it does not. */
export function knownPrice(model: string | null): ModelPrice | null {
  const found = readSeedPrices().prices.findLast(
    (price) => price.model === model && price.context_above === 0,
  );
  if (found === undefined || found.input === null || found.output === null) return null;
  return { input: Number(found.input), output: Number(found.output) };
}

function questionsOf(strategy: Strategy, model: BuildParts['model']): Question[] {
  const questions: Question[] = [];
  const add = (
    purpose: Question['purpose'],
    settings: DerivationSettings | null,
    isWorthAsking: Question['isWorthAsking'],
  ): void => {
    if (settings === null) return;
    const promptHash = (job: DerivationJob): string =>
      model.promptHash(purpose, settings, { agentType: job.agent_type ?? null, language: job.language });
    questions.push({ purpose, settings, promptHash, isWorthAsking });
  };
  add('summary', summarySettings(strategy), isWorthSummarizing);
  add('facts', factSettings(strategy), isWorthExtracting);
  return questions;
}

function remember(conversation: Conversation, event: ChatEvent, offset: bigint, strategy: Strategy): void {
  if (event.type !== 'message' && event.type !== 'tool_call' && event.type !== 'tool_result') return;
  const order = event.seq ?? offset;
  const { held, artifact } = toEntry(event, { order, offset }, strategy.settings, tokenCounter(null));
  const { entry } = held;
  conversation.sources.set(order, {
    offset,
    isRule: entry.role === 'system' || entry.role === 'developer',
    message: sourceMessage(event.tenant, entry, artifact?.content ?? null),
  });
}

function sourcesOf(
  { sources, folds }: Conversation,
  trigger: { from: bigint; to: bigint; seenOffset: bigint; pinned: readonly string[] },
): Source[] {
  const pinned = new Set(trigger.pinned);
  const range = [...sources]
    .filter(
      ([order, { offset }]) => trigger.from <= order && order <= trigger.to && offset <= trigger.seenOffset,
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const cut = folds.map(({ border }) => (border === null ? -1n : BigInt(border)));
  const behind = cut.reduce((least, border) => (border < least ? border : least));
  for (const order of sources.keys()) if (order < behind - KEPT_BEHIND) sources.delete(order);
  return range.flatMap(([, { isRule, message }]) => (isRule || pinned.has(message.id) ? [] : [message]));
}

/** A late event asks for its block again: blocks are kept for a while. */
const KEPT_BEHIND = 100_000n;

function dollarsOf({ tokens }: ReplayPlan, price: ModelPrice | null): [number, number] | null {
  if (price === null) return null;
  const of = (output: number): number => (tokens.input * price.input + output * price.output) / 1e6;
  return [of(tokens.outputAtMost * LEAST_ANSWER), of(tokens.outputAtMost)];
}
