import { type Held, isRule } from './entry.js';
import { isBlank } from './fit-unit.js';

/** Rules that stay: the first and the newest ones. More would let a chatty agent grow the row. */
const RULES_KEPT = 16;

export interface KeptMessages {
  /** The first messages, and the first one of the user where any are kept at all: it says what is wanted. */
  first: Held[];
  rules: Held[];
}

/**
 * Of sorted messages those that always stay. What stays of a set also stays of every set that has it and later
 * messages, so it can be applied again and again as messages leave the window.
 */
export function keptMessages(sorted: readonly Held[], pinnedFirst: number): KeptMessages {
  const first = sorted.slice(0, pinnedFirst);
  const ofUser =
    pinnedFirst === 0 ? undefined : sorted.find(({ entry }) => entry.role === 'user' && !isBlank(entry));
  if (ofUser !== undefined && !first.includes(ofUser)) first.push(ofUser);
  const rules = sorted.filter(({ entry }) => isRule(entry));
  return {
    first,
    rules: rules.length <= RULES_KEPT ? rules : [rules[0] as Held, ...rules.slice(1 - RULES_KEPT)],
  };
}
