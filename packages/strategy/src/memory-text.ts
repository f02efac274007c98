import { MESSAGE_OVERHEAD_TOKENS, type TokenCounter } from '@palimpsest/tokens';
import { carriedIdentifiers, type NamingSource } from './identifiers/carried-identifiers.js';
import { carriedText, carriedTokens } from './identifiers/carried-text.js';
import { deltaText } from './delta-text.js';
import type { Unit } from './pair-calls.js';
import type { StrategySettings } from './strategy.js';
import { withoutNumbers } from './without-numbers.js';

/** A summary of one block: covers the events of [from, to] that were known at `seen`. */
export interface SummaryLeaf {
  from: bigint;
  to: bigint;
  /** Log offset; events of the range that arrived later are not covered. */
  seen: bigint;
  text: string;
  /** Identifiers of the source that the text lost. */
  carried: string[];
}

export interface Fact {
  type: string;
  actor: string;
  subject: string;
  payload: string;
  /** ms since 1970; null = open. */
  validUntil: number | null;
  /** Order of the message it was read from. */
  sourceOrder: bigint;
}

/** Facts, summaries and the names that both lost, as one text at the front of a context. */
export interface Memory {
  /** Empty where there is none. */
  text: string;
  tokens: { facts: number; summary: number; identifiers: number };
  /** The leaves that stand in the text; those that the cap left no room for do not. */
  written: SummaryLeaf[];
}

const NO_MEMORY: Memory = { text: '', tokens: { facts: 0, summary: 0, identifiers: 0 }, written: [] };
/** Share of the room that facts and summaries may take, and names beside them. */
const MEMORY_SHARE = 0.15;
const IDENTIFIERS_SHARE = 0.4;
/** Of the separators between the two texts. */
const JOINT_TOKENS = 2;

export interface MemorySource {
  leaves: readonly SummaryLeaf[];
  facts: readonly Fact[];
  settings: StrategySettings;
  counter: TokenCounter;
}

/** Room for the two parts of memory. */
export interface MemoryRoom {
  texts: number;
  identifiers: number;
}

/** What is left out of a context and in no summary, and what of the tail only keeps a handle. */
export interface Gone {
  gone: readonly Unit[];
  stubbed: readonly Unit[];
}

/**
 * Tokens to keep free for memory: what all of it would take, within the strategy's caps and its shares of `room`, and
 * within `slot`.
 */
export function memoryRoom(source: MemorySource, room: number, slot: number): MemoryRoom {
  const { leaves, facts, settings, counter } = source;
  let wish = 0;
  if (settings.summary !== null && leaves.length > 0) {
    const cap = settings.summary.max_tokens;
    wish += Math.min(
      cap,
      tokensOf(SUMMARY_HEADING, leaves.map((leaf) => leaf.text).toReversed(), cap, counter),
    );
  }
  if (settings.facts !== null && facts.length > 0) {
    const cap = settings.facts.max_tokens;
    wish += Math.min(cap, tokensOf(FACTS_HEADING, facts.toReversed().map(writeFact), cap, counter));
  }
  // How much is to be told in short changes with every message: its room does not.
  if (settings.delta !== undefined) wish += settings.delta.max_tokens;
  if (wish > 0) wish += MESSAGE_OVERHEAD_TOKENS + JOINT_TOKENS;
  const texts = Math.max(0, Math.min(wish, Math.floor(room * MEMORY_SHARE), slot));
  return { texts, identifiers: Math.max(0, Math.min(identifierRoom(source, room), slot - texts)) };
}

function identifierRoom({ leaves, settings, counter }: MemorySource, room: number): number {
  if (settings.identifiers === null) return 0;
  const cap = Math.max(0, Math.min(settings.identifiers.max_tokens, Math.floor(room * IDENTIFIERS_SHARE)));
  // What is looked back on has names as well, though no leaf carries them.
  if (looksBack(settings)) return cap;
  return leaves.length === 0
    ? 0
    : carriedTokens(leaves.map(namesOfLeaf), cap, counter) + MESSAGE_OVERHEAD_TOKENS;
}

/** Whether what left the tail is looked at again, however long ago: to be weighed, or told in short. */
export function looksBack({ weights, delta }: StrategySettings): boolean {
  return weights !== undefined || delta !== undefined;
}

/** Memory of what lies before `border`, the place of the first event of the tail. */
export function writeMemory(
  source: MemorySource,
  border: bigint,
  room: MemoryRoom,
  { gone, stubbed }: Gone,
): Memory {
  const { settings, counter } = source;
  const left = room.texts - MESSAGE_OVERHEAD_TOKENS - JOINT_TOKENS;
  const facts = settings.facts === null ? [] : source.facts.filter((fact) => fact.sourceOrder < border);
  const factPart = fromTheEnd(
    FACTS_HEADING,
    facts.map(writeFact),
    Math.min(left, settings.facts?.max_tokens ?? 0),
    counter,
  );
  const factTokens = counter.count(factPart.text);
  const leaves = settings.summary === null ? [] : source.leaves.filter((leaf) => leaf.to < border);
  const summaryPart = fromTheEnd(
    SUMMARY_HEADING,
    leaves.map((leaf) => (settings.summary?.numbers === 'drop' ? withoutNumbers(leaf.text) : leaf.text)),
    Math.min(left - factTokens, settings.summary?.max_tokens ?? 0),
    counter,
  );
  const { delta } = settings;
  const used = factTokens + counter.count(summaryPart.text);
  const inShort =
    delta === undefined
      ? ''
      : deltaText(gone, delta.ratio, Math.min(left - used - JOINT_TOKENS, delta.max_tokens), counter);
  const texts = [factPart.text, summaryPart.text, inShort].filter((part) => part !== '').join('\n\n');
  const names = writeIdentifiers(source, leaves, [...gone, ...stubbed], texts, room.identifiers);
  const text = [texts, names].filter((part) => part !== '').join('\n\n');
  if (text === '') return NO_MEMORY;
  const tokens = counter.count(text) + MESSAGE_OVERHEAD_TOKENS;
  if (tokens > room.texts + room.identifiers) return NO_MEMORY;
  const identifiers = names === '' ? 0 : texts === '' ? tokens : counter.count(names) + JOINT_TOKENS;
  const rest = tokens - identifiers;
  const ofFacts = summaryPart.text === '' && inShort === '' ? rest : factTokens;
  return {
    text,
    tokens: { facts: ofFacts, summary: rest - ofFacts, identifiers },
    written: leaves.slice(leaves.length - summaryPart.blocks),
  };
}

/** Units that name together what has left, as a leaf does for its block: each block is heard. */
const NAMED_BLOCK = 10;

/** What both the summaries and the facts lost. Of a leaf that stands in the text, its own words are there already. */
function writeIdentifiers(
  { settings, counter }: MemorySource,
  leaves: readonly SummaryLeaf[],
  uncovered: readonly Unit[],
  shown: string,
  room: number,
): string {
  if (settings.identifiers === null || room <= 0) return '';
  const block = looksBack(settings) ? NAMED_BLOCK : uncovered.length;
  const lists = leaves.map(namesOfLeaf);
  for (let at = 0; at < uncovered.length; at += block) {
    const entries: NamingSource[] = uncovered
      .slice(at, at + block)
      .flatMap((unit) => unit.entries.map(({ entry }) => entry));
    lists.push(carriedIdentifiers(entries, shown));
  }
  return carriedText(lists, shown, room - MESSAGE_OVERHEAD_TOKENS - JOINT_TOKENS, counter);
}

/** Names of a leaf, those of its text before those that the text lost. */
function namesOfLeaf({ text, carried }: SummaryLeaf): string[] {
  return [...carriedIdentifiers([{ kind: 'message', text }], ''), ...carried];
}

const FACTS_HEADING = 'Known facts:';
const SUMMARY_HEADING = 'Summary of earlier messages:';

function writeFact(fact: Fact): string {
  const until =
    fact.validUntil === null ? '' : ` (until ${new Date(fact.validUntil).toISOString().slice(0, 10)})`;
  return `- ${fact.type}, ${fact.actor}: ${fact.subject}: ${fact.payload}${until}`;
}

/** Tokens of all blocks, counted only until `enough`. */
function tokensOf(heading: string, blocks: readonly string[], enough: number, counter: TokenCounter): number {
  let tokens = counter.count(`${heading}\n`) + 1;
  for (const block of blocks) {
    if (tokens >= enough) break;
    tokens += counter.count(`${block}\n`) + 1;
  }
  return tokens;
}

/** The start of a summary below this says nothing. */
const MIN_BLOCK_TOKENS = 16;

/** The newest blocks within the cap, in order; how many of them there are. A single one too long is cut. */
function fromTheEnd(
  heading: string,
  blocks: readonly string[],
  maxTokens: number,
  counter: TokenCounter,
): { text: string; blocks: number } {
  if (blocks.length === 0) return { text: '', blocks: 0 };
  let left = maxTokens - counter.count(`${heading}\n`) - 1;
  const chosen: string[] = [];
  for (const block of blocks.toReversed()) {
    const tokens = counter.count(`${block}\n`) + 1;
    if (tokens > left) {
      const head = chosen.length === 0 && left > MIN_BLOCK_TOKENS ? counter.head(block, left - 1) : '';
      if (head !== '') chosen.unshift(head);
      break;
    }
    chosen.unshift(block);
    left -= tokens;
  }
  if (chosen.length === 0) return { text: '', blocks: 0 };
  return { text: `${heading}\n${chosen.join('\n')}`, blocks: chosen.length };
}
