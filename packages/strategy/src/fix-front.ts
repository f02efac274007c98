import type { AssembleInput } from './assemble.js';
import { fitUnit, floorOfUnit, shareOut } from './fit-unit.js';
import { FloorError } from './floor-error.js';
import type { Gathered } from './gather-units.js';
import type { Unit } from './pair-calls.js';

/** What stands before the tail for as long as the conversation lasts. */
export interface Front {
  units: Unit[];
  /** Of `units`, those that are rules. */
  rules: Unit[];
  /** As gathered, before they were cut. */
  sources: ReadonlySet<Unit>;
  /** Tokens left for memory, the tail and the newest unit. */
  room: number;
  warnings: string[];
}

/**
 * Pins, rules and first messages, each within what the ones before it left. Nothing here depends on the newest unit as
 * long as the floor holds, so the front keeps its bytes while the conversation grows.
 */
export function fixFront(input: AssembleInput, gathered: Gathered, budgetRoom: number): Front {
  const { counter, budget } = input;
  const newest = gathered.units[gathered.units.length - 1] as Unit;
  const others = gathered.units.filter((unit) => unit !== newest);
  const pins = others.filter((unit) => gathered.isPinned(unit));
  const rules = others.filter((unit) => !pins.includes(unit) && has(gathered.rules, unit));
  const firsts = others.filter(
    (unit) =>
      !pins.includes(unit) &&
      !rules.includes(unit) &&
      (has(gathered.first, unit) || has(gathered.large, unit)),
  );
  const newestPinned = gathered.isPinned(newest);
  const newestFloor = newestPinned ? newest.tokens : floorOfUnit(newest, counter);
  const floor = {
    rules: rules.reduce((tokens, unit) => tokens + floorOfUnit(unit, counter), 0),
    pins: sum(pins) + (newestPinned ? newest.tokens : 0),
    newest: newestPinned ? 0 : newestFloor,
  };
  if (floor.rules + floor.pins + floor.newest > budgetRoom) throw new FloorError(budget, floor);

  const front: Front = { units: [...pins], rules: [], sources: new Set(), room: 0, warnings: [] };
  const sources = new Set(pins);
  let room = budgetRoom - sum(pins);
  const shares = shareOut(
    rules.map((rule) => rule.tokens),
    room - Math.max(newestFloor, Math.min(MIN_TAIL_TOKENS, Math.floor(room / 4))),
  );
  for (const [index, rule] of rules.entries()) {
    const fitted = fitUnit(rule, Math.max(shares[index] as number, floorOfUnit(rule, counter)), counter);
    if (fitted === null) throw new FloorError(budget, floor);
    if (fitted !== rule) {
      front.warnings.push(
        `a rule of ${rule.tokens} tokens was cut to ${fitted.tokens}: shorten it or raise the budget`,
      );
    }
    front.units.push(fitted);
    front.rules.push(fitted);
    sources.add(rule);
    room -= fitted.tokens;
  }
  const least = Math.max(newestFloor, Math.floor(room / 3));
  const byUserFirst = firsts.toSorted((a, b) => Number(isOfUser(b)) - Number(isOfUser(a)));
  for (const [index, unit] of byUserFirst.entries()) {
    const whole = index === 0 && isOfUser(unit) ? Math.floor(room * FIRST_SHARE) : room - least;
    const cap = Math.min(room - newestFloor, whole);
    const fitted =
      unit.tokens <= cap
        ? unit
        : fitUnit(unit, Math.min(cap, Math.floor(room / (index === 0 ? 4 : 8))), counter);
    if (fitted === null || fitted.tokens > room - newestFloor) continue;
    front.units.push(fitted);
    sources.add(unit);
    room -= fitted.tokens;
  }
  return { ...front, sources, room };
}

/** Of the first message of the user, which says what is wanted. */
const FIRST_SHARE = 3 / 5;

/** Rules are cut before the rest of the context gets less than this. */
const MIN_TAIL_TOKENS = 256;

function has(ids: ReadonlySet<string>, unit: Unit): boolean {
  return unit.entries.some((held) => ids.has(held.entry.id));
}

function isOfUser(unit: Unit): boolean {
  return unit.entries[0]?.entry.role === 'user';
}

function sum(units: readonly Unit[]): number {
  return units.reduce((tokens, unit) => tokens + unit.tokens, 0);
}
