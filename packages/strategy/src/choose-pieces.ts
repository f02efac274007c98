import type { AssembleInput, Chosen, Piece } from './assemble.js';
import { RulesError } from './floor-error.js';
import { type Gathered, gatherUnits, restoreUnits } from './gather-units.js';
import { isRule } from './entry.js';
import type { Unit } from './pair-calls.js';
import { recallNote } from './recall/recall-note.js';
import { select } from './select-units.js';
import { type CallPlan, planCall } from './slots/plan-call.js';
import { divideUnit } from './unit-shares.js';

/** The pieces of the context, without the account of it: everything while it fits, and else what `select` chooses. */
export function choosePieces(
  input: AssembleInput,
  gathered: Gathered = gatherUnits(input),
  plan: CallPlan = planCall(input),
): Chosen {
  const warnings = checkRules(input, gathered, plan);
  const chosen = wholeConversation(input, gathered, plan) ?? select(input, gathered, plan);
  return { ...chosen, warnings: [...warnings, ...chosen.warnings], pieces: withNotes(chosen, input, plan) };
}

function wholeConversation(input: AssembleInput, gathered: Gathered, plan: CallPlan): Chosen | null {
  if (!gathered.whole || !gathered.inWindow) return null;
  const originals = input.settings.cut.when === 'over_budget' ? restoreUnits(gathered.units, input) : null;
  for (const units of [originals, gathered.units]) {
    if (units === null || !holds(units, gathered, plan)) continue;
    const pieces = units.map((unit): Piece => ({ kind: 'unit', unit }));
    return { pieces, memory: null, warnings: [], tailStart: null, short: false };
  }
  return null;
}

/** Whether the units fit into the room and into the slots of results and tail. */
function holds(units: readonly Unit[], gathered: Gathered, { room, caps }: CallPlan): boolean {
  const total = units.reduce((tokens, unit) => tokens + unit.tokens, 0);
  if (total > room) return false;
  const { results, tail } = caps.divide(room);
  const sums = { results: 0, rest: 0 };
  for (const unit of units) {
    if (isOfFront(unit, gathered)) continue;
    const parts = divideUnit(unit, unit.tokens, false);
    sums.results += parts.results;
    sums.rest += parts.rest;
  }
  return sums.results <= results && sums.rest <= tail;
}

/** Rules, pins and first messages have no slot of the tail. */
function isOfFront(unit: Unit, gathered: Gathered): boolean {
  if (gathered.isPinned(unit)) return true;
  return unit.entries.some(
    ({ entry }) => isRule(entry) || gathered.first.has(entry.id) || gathered.large.has(entry.id),
  );
}

/** Rules above their slot are for their author to shorten: refused, or told, as the strategy says. */
function checkRules(input: AssembleInput, gathered: Gathered, { caps }: CallPlan): string[] {
  const rules = gathered.units
    .filter((unit) => unit.entries.some(({ entry }) => gathered.rules.has(entry.id)))
    .reduce((tokens, unit) => tokens + unit.tokens, 0);
  if (rules <= caps.system) return [];
  if (input.settings.slots?.system_overflow === 'refuse') {
    throw new RulesError(input.budget, { rules, pins: 0, newest: 0 }, Math.floor(caps.system));
  }
  return [`the rules take ${rules} tokens, their slot has ${Math.floor(caps.system)}: shorten them`];
}

/** Of a strategy that does not say how many. */
const RECALLED = 8;

/** The pieces with what was recalled and the working state before the newest unit. */
function withNotes({ pieces, tailStart }: Chosen, input: AssembleInput, plan: CallPlan): Piece[] {
  const shown = new Set(
    pieces.flatMap((piece) => (piece.kind === 'unit' ? piece.unit.entries.map(({ entry }) => entry.id) : [])),
  );
  const recalled =
    tailStart === null || input.recalled === undefined
      ? null
      : recallNote(
          input.recalled,
          shown,
          { cap: plan.recalledRoom, top: input.settings.recall?.top ?? RECALLED },
          input.counter,
        );
  const notes = [recalled, plan.state].filter((note) => note !== null);
  return notes.length === 0 ? pieces : [...pieces.slice(0, -1), ...notes, ...pieces.slice(-1)];
}
