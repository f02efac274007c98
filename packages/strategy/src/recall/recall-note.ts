import { MESSAGE_OVERHEAD_TOKENS, type TokenCounter } from '@palimpsest/tokens';
import { cut, detectContentType } from '../cut/index.js';
import type { Note } from '../note.js';

/** A message, fact or result that a query found. */
export interface Recalled {
  /** Event id; of a fact its id. */
  id: string;
  order: bigint;
  /** Who said it, or what it is: `user`, `result`, `fact`. */
  source: string;
  text: string;
  /** Artifact id of the original, where the text is shorter. */
  handle: string | null;
}

const HEADING = 'Found earlier in this conversation for the current request:';
/** Of the room for all, what one may take. */
const ONE_SHARE = 2 / 5;
const LEAST_TOKENS = 24;

/**
 * The `top` best of what was recalled, best first, as a note within `cap` tokens: what is shown already is left out, of the rest the lowest
 * scores are dropped and those that stay stand in the order of the conversation. Null where none fits.
 */
export function recallNote(
  hits: readonly Recalled[],
  shown: ReadonlySet<string>,
  { cap, top }: { cap: number; top: number },
  counter: TokenCounter,
): Note | null {
  const room = cap - MESSAGE_OVERHEAD_TOKENS - counter.count(`${HEADING}\n`) - 2;
  let left = room;
  const lines: { order: bigint; text: string }[] = [];
  for (const { id, order, source, text, handle } of hits) {
    if (shown.has(id) || left < LEAST_TOKENS || lines.length >= top) continue;
    const label = `[${order}] ${source}: `;
    const most = Math.min(left, Math.floor(room * ONE_SHARE)) - counter.count(label) - 2;
    if (most < LEAST_TOKENS / 2) continue;
    const type = detectContentType({ text });
    const short =
      counter.count(text) <= most
        ? text
        : cut({ text, type }, { maxTokens: most, handle: handle ?? id, counter }).text;
    const line = `${label}${short}`;
    left -= counter.count(`${line}\n`) + 1;
    lines.push({ order, text: line });
  }
  while (lines.length > 0) {
    const sorted = lines.toSorted((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
    const text = `${HEADING}\n${sorted.map((line) => line.text).join('\n')}`;
    const tokens = counter.count(text) + MESSAGE_OVERHEAD_TOKENS;
    if (tokens <= cap) return { kind: 'note', title: 'recalled', text, tokens };
    lines.pop();
  }
  return null;
}
