import { type Held, isRule } from './entry.js';
import { isBlank } from './fit-unit.js';
import type { StrategySettings } from './strategy.js';

/** Rules that stay: the first and the newest ones. More would let a chatty agent grow the row. */
const RULES_KEPT = 16;

export interface KeptMessages {
  /** The first messages, and the first one of the user where any are kept at all: it says what is wanted. */
  first: Held[];
  rules: Held[];
  /** The newest long answers of the assistant, where the strategy keeps any. */
  large: Held[];
}

/**
 * Of sorted messages those that stay. It can be applied again and again as messages leave the window: what stays of all
 * is what stays of those that stayed and of those that came.
 */
export function keptMessages(sorted: readonly Held[], window: StrategySettings['window']): KeptMessages {
  const { pinned_first: pinnedFirst, large_replies: replies } = window;
  const first = sorted.slice(0, pinnedFirst);
  const ofUser =
    pinnedFirst === 0 ? undefined : sorted.find(({ entry }) => entry.role === 'user' && !isBlank(entry));
  if (ofUser !== undefined && !first.includes(ofUser)) first.push(ofUser);
  const rules = sorted.filter(({ entry }) => isRule(entry));
  return {
    first,
    large:
      replies === undefined
        ? []
        : sorted
            .filter(({ entry }) => entry.role === 'assistant' && entry.tokens >= replies.from_tokens)
            .slice(-replies.keep),
    rules: rules.length <= RULES_KEPT ? rules : [rules[0] as Held, ...rules.slice(1 - RULES_KEPT)],
  };
}
