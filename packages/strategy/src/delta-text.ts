import type { TokenCounter } from '@palimpsest/tokens';
import { shownText } from './fit-unit.js';
import type { Unit } from './pair-calls.js';

const HEADING = 'Earlier, in short:';
/** A line below this says nothing. */
const LEAST_TOKENS = 12;

/**
 * What left the tail as one line per unit, `[place] who: how it begins`, each at `1/ratio` of the unit's tokens, the
 * newest ones within `cap` tokens, in order. Made without a model; the place is that of `left_out` and of the API.
 */
export function deltaText(units: readonly Unit[], ratio: number, cap: number, counter: TokenCounter): string {
  let left = cap - counter.count(`${HEADING}\n`) - 1;
  const lines: string[] = [];
  for (const unit of units.toReversed()) {
    const line = lineOf(unit, Math.floor(unit.tokens / ratio), counter);
    if (line === null) continue;
    const tokens = counter.count(`${line}\n`) + 1;
    if (tokens > left) break;
    left -= tokens;
    lines.unshift(line);
  }
  return lines.length === 0 ? '' : `${HEADING}\n${lines.join('\n')}`;
}

function lineOf(unit: Unit, cap: number, counter: TokenCounter): string | null {
  if (cap < LEAST_TOKENS) return null;
  const texts = unit.entries.map(({ entry }) => {
    const who =
      entry.kind === 'message'
        ? (entry.role ?? 'user')
        : entry.kind === 'tool_call'
          ? (entry.tool ?? 'call')
          : 'result';
    return `${who}: ${shownText(entry).replace(/\s+/g, ' ').trim()}`;
  });
  const label = `[${unit.order}] `;
  const room = cap - counter.count(label);
  if (room < LEAST_TOKENS / 2) return null;
  const each = Math.max(LEAST_TOKENS / 2, Math.floor(room / texts.length));
  const parts = texts.map((text) => counter.head(text, each).trimEnd()).filter((text) => text !== '');
  return `${label}${parts.join('; ')}`;
}
