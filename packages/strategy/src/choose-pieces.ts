import { REPLY_PRIMING_TOKENS } from '@palimpsest/tokens';
import type { AssembleInput, Chosen, Piece } from './assemble.js';
import { gatherUnits, restoreUnits } from './gather-units.js';
import { select } from './select-units.js';

/** The pieces of the context, without the account of it: everything while it fits, and else what `select` chooses. */
export function choosePieces(input: AssembleInput, gathered = gatherUnits(input)): Chosen {
  const { settings, budget } = input;
  const room = Math.floor(budget * (1 - settings.budget.headroom)) - REPLY_PRIMING_TOKENS;
  if (gathered.whole && gathered.inWindow) {
    const originals = settings.cut.when === 'over_budget' ? restoreUnits(gathered.units, input) : null;
    for (const units of [originals, gathered.units]) {
      if (units === null || units.reduce((tokens, unit) => tokens + unit.tokens, 0) > room) continue;
      const pieces = units.map((unit): Piece => ({ kind: 'unit', unit }));
      return { pieces, memory: null, warnings: [], tailStart: null, short: false };
    }
  }
  return select(input, gathered, room);
}
