import { countMessage, type TokenCounter } from '@palimpsest/tokens';
import { cut } from './cut/index.js';
import { type Entry, type Held, hold } from './entry.js';
import type { Unit } from './pair-calls.js';

/** Below this an entry says nothing any more. */
export const MIN_ENTRY_TOKENS = 24;

/** Tokens of an entry as sent. */
export function countEntry(counter: TokenCounter, entry: Entry): number {
  const images = entry.parts?.filter((part) => part.kind === 'image').length ?? 0;
  if (entry.kind === 'tool_call') {
    return countMessage(counter, {
      text: '',
      toolCalls: [{ name: entry.tool ?? '', arguments: entry.text }],
      toolCallId: entry.call_id ?? null,
    });
  }
  const parts = entry.parts ?? [];
  const text =
    parts.length === 0 ? entry.text : parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  return countMessage(counter, { text, images, toolCallId: entry.call_id ?? null });
}

/**
 * The unit within `cap` tokens, its long entries cut by their types, a handle to the original in each. Parallel
 * results share the cap: short ones stay whole, the rest is divided. Null where the cap is too small for the unit.
 */
export function fitUnit(unit: Unit, cap: number, counter: TokenCounter): Unit | null {
  if (unit.tokens <= cap) return unit;
  const shares = shareOut(
    unit.entries.map((held) => held.entry.tokens),
    cap,
  );
  const entries: Held[] = [];
  for (const [index, held] of unit.entries.entries()) {
    const fitted = fitEntry(held, shares[index] as number, counter);
    if (fitted === null) return null;
    entries.push(fitted);
  }
  return { order: unit.order, entries, tokens: entries.reduce((sum, one) => sum + one.entry.tokens, 0) };
}

/** The entry within `cap` tokens, or null. */
export function fitEntry(held: Held, cap: number, counter: TokenCounter): Held | null {
  const { entry } = held;
  if (entry.tokens <= cap) return held;
  const bare: Entry = { ...entry, text: '' };
  delete bare.parts;
  const room = cap - countEntry(counter, bare);
  if (room < 1) return null;
  const text =
    entry.parts === undefined
      ? entry.text
      : entry.parts.map((part) => (part.kind === 'image' ? '[image]' : part.text)).join('\n');
  const handle = entry.artifact ?? entry.id;
  const rendition = cut(
    { text, type: entry.kind === 'tool_call' && entry.type !== 'json' ? 'text' : entry.type },
    { maxTokens: room, handle, counter },
  );
  const fitted: Entry = { ...bare, text: rendition.text };
  if (rendition.dropped !== null) fitted.dropped = rendition.dropped;
  fitted.tokens = countEntry(counter, fitted);
  return fitted.tokens <= cap ? hold(fitted) : null;
}

/** Divides `cap` so that small wishes are granted whole and the large ones get equal shares of what is left. */
export function shareOut(wishes: readonly number[], cap: number): number[] {
  const shares = wishes.map(() => 0);
  let left = cap;
  const bySize = wishes
    .map((wish, index) => ({ wish, index }))
    .toSorted((a, b) => a.wish - b.wish || a.index - b.index);
  for (const [position, { wish, index }] of bySize.entries()) {
    const share = Math.min(wish, Math.floor(left / (bySize.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
