import { REPLY_PRIMING_TOKENS } from '@palimpsest/tokens';
import type { StrategySettings } from '../strategy.js';

/** For which slots a conversation has something at all. */
export interface Demand {
  tools: boolean;
  state: boolean;
  recalled: boolean;
  tool_results: boolean;
}

/** Tokens that each slot may take; infinite where the strategy sets none, 0 where it has none of that kind. */
export interface SlotCaps {
  /** Of all that is sent, what is never used and the priming of the reply taken off. */
  usable: number;
  /** Above it the rules are refused, or warned of. */
  system: number;
  tools: number;
  state: number;
  recalled: number;
  /** Of what front, tools, state and recalled documents leave: how results, tail and memory divide it. */
  divide(room: number): { results: number; tail: number; memory: number };
}

/**
 * Where results and tail divide what there is, each may take half as much again as its part: both are seldom full at once,
 * and together they never get more than the room. At 4,000 tokens on tau-bench 0.79 of the identifiers of the last six
 * results are kept without it.
 */
const SLACK = 1.5;

type Name = 'system' | 'tools' | 'state' | 'recalled' | 'tool_results' | 'tail' | 'memory';

/**
 * The slots of a strategy at a budget. Slots in tokens hold as they are while the budget has room for all of them. Where
 * it has not, and for shares always, those that the conversation has something for divide it in their proportion: a
 * conversation without tools lends their slot to the rest. What a slot in use leaves free is not lent: slots would
 * change with every message, and with them the start of every context.
 */
export function slotCaps(settings: StrategySettings, budget: number, demand: Demand): SlotCaps {
  const usable = Math.floor(budget * (1 - settings.budget.headroom)) - REPLY_PRIMING_TOKENS;
  const { slots } = settings;
  if (slots === undefined) {
    const all = { results: Infinity, tail: Infinity, memory: Infinity };
    return { usable, system: Infinity, tools: 0, state: 0, recalled: 0, divide: () => all };
  }
  const wishOf = (name: Name): number => {
    const wish = slots[name] ?? 0;
    return wish < 1 ? wish * budget : wish;
  };
  const demanded = (
    ['system', 'tools', 'state', 'recalled', 'tool_results', 'tail', 'memory'] as const
  ).filter((name) => slots[name] !== undefined && (demand as Partial<Record<Name, boolean>>)[name] !== false);
  const total = demanded.reduce((sum, name) => sum + wishOf(name), 0);
  const shares = demanded.every((name) => (slots[name] as number) < 1);
  const scale = total > usable || shares ? usable / Math.max(1, total) : 1;
  const scaled = (name: Name): number => (demanded.includes(name) ? Math.floor(wishOf(name) * scale) : 0);
  return {
    usable,
    // A small budget does not make the author's rules too long.
    system: slots.system === undefined ? Infinity : wishOf('system'),
    tools: scaled('tools'),
    state: scaled('state'),
    recalled: scaled('recalled'),
    divide(room) {
      const inner = demanded.filter(
        (name) => name === 'tool_results' || name === 'tail' || name === 'memory',
      );
      const wish = inner.reduce((sum, name) => sum + wishOf(name), 0);
      const part = (name: Name): number => {
        if (slots[name] === undefined) return Infinity;
        if (!demanded.includes(name)) return 0;
        if (wish <= room && !shares) return wishOf(name);
        const slack = name === 'memory' ? 1 : SLACK;
        return Math.floor(Math.min(room, (wishOf(name) / wish) * room * slack));
      };
      return { results: part('tool_results'), tail: part('tail'), memory: part('memory') };
    },
  };
}
