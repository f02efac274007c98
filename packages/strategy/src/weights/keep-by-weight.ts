import type { AssembleInput } from '../assemble.js';
import { textOfParts } from '../entry.js';
import { fitUnit } from '../fit-unit.js';
import type { Gathered } from '../gather-units.js';
import type { Unit } from '../pair-calls.js';
import { weighUnits } from './weigh-units.js';

/** Of the room for weighed units, what one of them may take. */
const UNIT_SHARE = 1 / 4;

/** Units that stay by their weight: as they are shown, and as they were. */
export interface Weighed {
  units: Unit[];
  sources: Set<Unit>;
}

/**
 * Of the units before the tail those that weigh enough, the heaviest within `room`, each held to a share of it. While the
 * tail begins at one place they stay the same: they are weighed from there, and not from the newest message.
 */
export function keepByWeight(
  input: AssembleInput,
  gathered: Gathered,
  before: readonly Unit[],
  room: number,
): Weighed {
  const { weights } = input.settings;
  const units: Unit[] = [];
  const sources = new Set<Unit>();
  if (weights === undefined || before.length === 0) return { units, sources };
  const weighed = weighUnits({
    units: before,
    about: input.query ?? lastOfUser(before),
    corrected: new Set(input.state.corrected.keys()),
    goals: gathered.first,
    weights,
  })
    .filter(({ weight }) => weight >= weights.threshold)
    .toSorted((a, b) => b.weight - a.weight || (a.unit.order < b.unit.order ? 1 : -1));
  let left = room;
  for (const { unit } of weighed) {
    const fitted = fitUnit(unit, Math.min(left, Math.floor(room * UNIT_SHARE)), input.counter);
    if (fitted === null) continue;
    units.push(fitted);
    sources.add(unit);
    left -= fitted.tokens;
  }
  return { units, sources };
}

function lastOfUser(units: readonly Unit[]): string {
  const entry = units.findLast((unit) => unit.entries[0]?.entry.role === 'user')?.entries[0]?.entry;
  if (entry === undefined) return '';
  return entry.parts === undefined ? entry.text : textOfParts(entry.parts);
}
