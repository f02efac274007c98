import { countMessage, type TokenCounter } from '@palimpsest/tokens';
import { type ContentType, cut, detectContentType } from './cut/index.js';
import { type Entry, type EntryKind, type Held, hold } from './entry.js';
import type { Unit } from './pair-calls.js';

/** Text below this says nothing any more. */
const MIN_TEXT_TOKENS = 16;

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

/** The least that an entry can be cut to: names, ids and separators are sent whole, and some of the text. */
function floorOf(entry: Entry, counter: TokenCounter): number {
  if (entry.tokens <= MIN_TEXT_TOKENS) return entry.tokens;
  return Math.min(entry.tokens, countEntry(counter, withoutText(entry)) + MIN_TEXT_TOKENS);
}

/** The least that a unit can be cut to. */
export function floorOfUnit(unit: Unit, counter: TokenCounter): number {
  return unit.entries.reduce((sum, held) => sum + floorOf(held.entry, counter), 0);
}

/**
 * The unit within `cap` tokens, its long entries cut by their types, a handle to the original in each. Parallel
 * results share the cap: short ones stay whole, the rest is divided. Null where the cap is too small for the unit.
 */
export function fitUnit(unit: Unit, cap: number, counter: TokenCounter): Unit | null {
  if (unit.tokens <= cap) return unit;
  const floors = unit.entries.map((held) => floorOf(held.entry, counter));
  const left = cap - floors.reduce((sum, floor) => sum + floor, 0);
  if (left < 0) return null;
  const shares = shareOut(
    unit.entries.map((held, index) => held.entry.tokens - (floors[index] as number)),
    left,
  );
  const entries: Held[] = [];
  for (const [index, held] of unit.entries.entries()) {
    const fitted = fitEntry(held, (floors[index] as number) + (shares[index] as number), counter);
    if (fitted === null) return null;
    entries.push(fitted);
  }
  return { order: unit.order, entries, tokens: entries.reduce((sum, one) => sum + one.entry.tokens, 0) };
}

/** The entry within `cap` tokens, or null. */
function fitEntry(held: Held, cap: number, counter: TokenCounter): Held | null {
  const { entry } = held;
  if (entry.tokens <= cap) return held;
  const bare = withoutText(entry);
  const room = cap - countEntry(counter, bare);
  if (room < 1) return null;
  const rendition = cut(
    { text: shownText(entry), type: typeToCut(entry.kind, shownText(entry), entry.type) },
    { maxTokens: room, handle: entry.artifact ?? entry.id, counter },
  );
  const fitted: Entry = { ...bare, text: rendition.text };
  fitted.dropped = rendition.dropped ?? entry.dropped ?? 'images and thinking';
  fitted.tokens = countEntry(counter, fitted);
  return fitted.tokens <= cap ? hold(fitted) : null;
}

/**
 * The type by which a text is cut: as known, else detected from the text. Arguments of a call are JSON or plain text,
 * nothing else: whatever they hold, the provider wants them whole in form.
 */
export function typeToCut(
  kind: EntryKind,
  text: string,
  known?: ContentType,
  isError?: boolean,
): ContentType {
  const type = known ?? detectContentType({ text, isError: isError === true });
  return kind === 'tool_call' && type !== 'json' ? 'text' : type;
}

/** Text of an entry where only text is allowed: an image stands as a note, thinking is never shown as if it was said. */
export function shownText(entry: Entry): string {
  if (entry.parts === undefined) return entry.text;
  return entry.parts
    .flatMap((part) => (part.kind === 'text' ? [part.text] : part.kind === 'image' ? ['[image]'] : []))
    .join('\n');
}

/** Whether nothing of it can be shown: no provider takes an empty message. */
export function isBlank(entry: Entry): boolean {
  return shownText(entry).trim() === '';
}

function withoutText(entry: Entry): Entry {
  const { parts: _, ...bare } = entry;
  return { ...bare, text: '' };
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
