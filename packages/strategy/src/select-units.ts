import { MESSAGE_OVERHEAD_TOKENS } from '@palimpsest/tokens';
import type { AssembleInput, LeftOut, Piece } from './assemble.js';
import { isRule } from './entry.js';
import { fitUnit, MIN_ENTRY_TOKENS } from './fit-unit.js';
import { FloorError } from './floor-error.js';
import { writeFacts, writeSummary } from './memory-text.js';
import type { Unit } from './pair-calls.js';

export interface Selection {
  pieces: Piece[];
  leftOut: LeftOut[];
  warnings: string[];
  slots: { facts: number; summary: number };
  stablePrefixTokens: number;
}

interface Fixed {
  before: Unit[];
  newest: Unit;
  /** Tokens left for memory and the tail before the newest unit. */
  room: number;
}

/** Share of the room that memory (facts and summary) may take. */
const MEMORY_SHARE = 0.4;
/** The tail moves on in steps of this share of its room, so that its start stays the same for many turns. */
const EVICTION_SHARE = 0.25;

/** Chooses what is sent when not everything fits: rules and pins, the newest unit, the first messages, memory, the tail. */
export function select(task: {
  input: AssembleInput;
  units: readonly Unit[];
  room: number;
  whole: boolean;
}): Selection {
  const { input, units, whole } = task;
  const newest = units[units.length - 1];
  if (newest === undefined) {
    return { pieces: [], leftOut: [], warnings: [], slots: { facts: 0, summary: 0 }, stablePrefixTokens: 0 };
  }
  const leftOut: LeftOut[] = [];
  const warnings: string[] = [];
  const fixed = fix({ ...task, newest }, leftOut, warnings);
  const fixedOrders = new Set(fixed.before.map((unit) => unit.order));
  const candidates = units.filter((unit) => unit !== newest && !fixedOrders.has(unit.order));
  const shortfall = newest.tokens - fixed.newest.tokens;
  const total = input.state.totals.tokens;

  let start = startWithin(candidates, fixed.room);
  if (start === 0 && whole)
    return compose(fixed, '', candidates, leftOut, warnings, { facts: 0, summary: 0 });

  const memoryRoom = memoryCap(input, fixed.room);
  const room2 = fixed.room - memoryRoom;
  start = startWithin(candidates, room2);
  const straddled = leafAt(input, candidates[start]?.order ?? newest.order);
  if (straddled !== null) {
    while (start < candidates.length && (candidates[start] as Unit).order <= straddled.to) start += 1;
  } else if (start > 0) {
    start = settle(candidates, start, newest, total - shortfall, room2 + fixed.newest.tokens);
  }

  const tail = candidates.slice(start);
  const border = tail[0]?.order ?? newest.order;
  const { text, slots, covered } = writeMemory(input, border, memoryRoom);
  const late = candidates.slice(0, start).filter((unit) => isLate(unit, covered));
  let left = fixed.room - sum(tail) - (text === '' ? 0 : slots.facts + slots.summary);
  const lateShown = late.filter((unit) => {
    if (unit.tokens > left) return false;
    left -= unit.tokens;
    return true;
  });
  const gone = candidates.slice(0, start).filter((unit) => !lateShown.includes(unit));
  noteGone(leftOut, gone, covered, input);
  return compose(fixed, text, [...lateShown, ...tail], leftOut, warnings, slots);
}

/** Rules, pins, the newest unit and the first messages, each within what the ones before it left. */
function fix(
  task: { input: AssembleInput; units: readonly Unit[]; room: number; newest: Unit },
  leftOut: LeftOut[],
  warnings: string[],
): Fixed {
  const { input, units, newest } = task;
  const { state, counter, budget } = input;
  const isPin = (unit: Unit): boolean =>
    unit.entries.some((held) => state.pins.get(held.entry.id)?.pinned === true);
  const kept = new Set(state.kept.map((held) => held.entry.id));
  const others = units.filter((unit) => unit !== newest);
  const pins = others.filter(isPin);
  const rules = others.filter((unit) => !isPin(unit) && unit.entries.some((held) => isRule(held.entry)));
  const firsts = firstUnits(others, input).filter((unit) => !isPin(unit) && !rules.includes(unit));

  const newestFloor = Math.min(newest.tokens, MIN_ENTRY_TOKENS * newest.entries.length);
  const pinTokens = sum(pins) + (isPin(newest) ? newest.tokens : 0);
  const floor = { rules: sum(rules), pins: pinTokens, newest: isPin(newest) ? 0 : newestFloor };
  let room = task.room - sum(pins);
  if (room < (isPin(newest) ? newest.tokens : newestFloor)) throw new FloorError(budget, floor);

  const before: Unit[] = [...pins];
  const reserve = Math.min(newest.tokens, Math.floor(room / 3));
  for (const [index, rule] of rules.entries()) {
    const cap = Math.floor((room - reserve) / (rules.length - index));
    const fitted = fitUnit(rule, cap, counter);
    if (fitted === null) throw new FloorError(budget, floor);
    if (fitted !== rule) {
      warnings.push(
        `a rule of ${rule.tokens} tokens was cut to ${fitted.tokens}: shorten it or raise the budget`,
      );
    }
    before.push(fitted);
    room -= fitted.tokens;
  }

  const firstUser = firsts.find((unit) => unit.entries[0]?.entry.role === 'user');
  const wish = firstUser?.tokens ?? 0;
  const firstShare = wish <= room / 2 ? wish : Math.min(wish, Math.floor(room / 4));
  const newestCap = isPin(newest) ? newest.tokens : Math.max(room - firstShare, newestFloor);
  const shownNewest = fitUnit(newest, newestCap, counter) ?? fitUnit(newest, room, counter);
  if (shownNewest === null) throw new FloorError(budget, floor);
  room -= shownNewest.tokens;

  for (const unit of firsts) {
    const cap = unit === firstUser ? room : Math.floor(room / 3);
    const fitted = unit.tokens <= cap ? unit : fitUnit(unit, Math.floor(room / 4), counter);
    if (fitted === null || fitted.tokens > room) {
      if (kept.has(unit.entries[0]?.entry.id ?? '')) noteGone(leftOut, [unit], [], input);
      continue;
    }
    before.push(fitted);
    room -= fitted.tokens;
  }
  return { before, newest: shownNewest, room };
}

/** Units of the first messages of the conversation, as many as the strategy keeps. */
function firstUnits(units: readonly Unit[], input: AssembleInput): Unit[] {
  const messages = units.filter(
    (unit) => unit.entries.length === 1 && unit.entries[0]?.entry.kind === 'message',
  );
  return messages.slice(0, input.settings.window.pinned_first);
}

function memoryCap(input: AssembleInput, room: number): number {
  const { summary, facts } = input.settings;
  const wish =
    (summary === null || input.leaves.length === 0 ? 0 : summary.max_tokens) +
    (facts === null || input.facts.length === 0 ? 0 : facts.max_tokens);
  return Math.max(0, Math.min(wish, Math.floor(room * MEMORY_SHARE)));
}

/** Index of the first unit of the longest tail that fits. */
function startWithin(units: readonly Unit[], room: number): number {
  let left = room;
  let start = units.length;
  while (start > 0 && (units[start - 1] as Unit).tokens <= left) {
    start -= 1;
    left -= (units[start] as Unit).tokens;
  }
  return start;
}

/** The leaf whose range reaches over `order`: the tail then starts behind it, so that nothing is said twice. */
function leafAt(input: AssembleInput, order: bigint): { to: bigint } | null {
  if (input.settings.summary === null) return null;
  return input.leaves.find((leaf) => leaf.from < order && order <= leaf.to) ?? null;
}

/**
 * Moves the start on to the next step counted from the beginning of the conversation: while the conversation grows by
 * less than a step, the tail starts at the same unit and the context keeps its prefix.
 */
function settle(units: readonly Unit[], start: number, newest: Unit, total: number, room: number): number {
  const step = Math.max(256, Math.floor(room * EVICTION_SHARE));
  let before = total - newest.tokens - sum(units.slice(start));
  const goal = Math.ceil(before / step) * step;
  let settled = start;
  while (settled < units.length && before < goal) {
    before += (units[settled] as Unit).tokens;
    settled += 1;
  }
  return settled;
}

function writeMemory(
  input: AssembleInput,
  border: bigint,
  room: number,
): { text: string; slots: { facts: number; summary: number }; covered: AssembleInput['leaves'] } {
  const { settings, counter } = input;
  const none = { text: '', slots: { facts: 0, summary: 0 }, covered: [] };
  if (room < MIN_ENTRY_TOKENS) return none;
  const left = room - MESSAGE_OVERHEAD_TOKENS - 2;
  const facts = input.facts.filter((fact) => fact.sourceOrder < border);
  const factText =
    settings.facts === null ? '' : writeFacts(facts, Math.min(left, settings.facts.max_tokens), counter);
  const leaves = settings.summary === null ? [] : input.leaves.filter((leaf) => leaf.to < border);
  const factTokens = factText === '' ? 0 : counter.count(factText);
  const summaryText =
    settings.summary === null
      ? ''
      : writeSummary(leaves, Math.min(left - factTokens, settings.summary.max_tokens), counter);
  const text = [factText, summaryText].filter((block) => block !== '').join('\n\n');
  if (text === '') return none;
  const tokens = counter.count(text) + MESSAGE_OVERHEAD_TOKENS;
  if (tokens > room) return none;
  const factShare = summaryText === '' ? tokens : factTokens;
  return {
    text,
    slots: { facts: factShare, summary: tokens - factShare },
    covered: summaryText === '' ? [] : leaves,
  };
}

/** Inside a summarized range but newer than the summary: shown as it is until the next fold takes it in. */
function isLate(unit: Unit, covered: AssembleInput['leaves']): boolean {
  const offset = BigInt(unit.entries[0]?.entry.offset ?? '0');
  return covered.some((leaf) => leaf.from <= unit.order && unit.order <= leaf.to && offset > leaf.seen);
}

function noteGone(
  leftOut: LeftOut[],
  gone: readonly Unit[],
  covered: AssembleInput['leaves'],
  input: AssembleInput,
): void {
  const summarized = gone.filter((unit) =>
    covered.some((leaf) => leaf.from <= unit.order && unit.order <= leaf.to),
  );
  const other = gone.filter((unit) => !summarized.includes(unit));
  for (const [units, why] of [
    [summarized, 'summarized'],
    [other, 'over the budget'],
  ] as const) {
    if (units.length === 0) continue;
    const events = units.reduce((count, unit) => count + unit.entries.length, 0);
    leftOut.push({
      what: `${events} events from ${units[0]?.order} to ${units[units.length - 1]?.order}`,
      why,
      handle: null,
    });
  }
  const { state } = input;
  if (state.evicted !== null && input.older.length === 0 && other.length + summarized.length > 0) {
    leftOut.push({ what: `events up to ${state.evicted}`, why: 'older than the window', handle: null });
  }
}

function compose(
  fixed: Fixed,
  memory: string,
  tail: readonly Unit[],
  leftOut: LeftOut[],
  warnings: string[],
  slots: { facts: number; summary: number },
): Selection {
  const units = [...fixed.before, ...tail].toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const pieces: Piece[] = units.map((unit) => ({ kind: 'unit', unit }));
  if (memory !== '') {
    const isFront = (piece: Piece): boolean =>
      piece.kind === 'unit' &&
      piece.unit.entries.every((held) => isRule(held.entry)) &&
      fixed.before.includes(piece.unit);
    const front = pieces.filter(isFront);
    const rest = pieces.filter((piece) => !isFront(piece));
    pieces.splice(
      0,
      pieces.length,
      ...front,
      { kind: 'memory', text: memory, tokens: slots.facts + slots.summary },
      ...rest,
    );
  }
  const stablePrefixTokens = pieces.reduce(
    (tokens, piece) => tokens + (piece.kind === 'unit' ? piece.unit.tokens : piece.tokens),
    0,
  );
  pieces.push({ kind: 'unit', unit: fixed.newest });
  return { pieces, leftOut, warnings, slots, stablePrefixTokens };
}

function sum(units: readonly Unit[]): number {
  return units.reduce((tokens, unit) => tokens + unit.tokens, 0);
}
