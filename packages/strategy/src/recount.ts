import type { TokenCounter } from '@palimpsest/tokens';
import { type Held, hold } from './entry.js';
import { countEntry } from './fit-unit.js';

/** The entry counted by another tokenizer than the one of the view; its original is estimated by the same ratio. */
export function recountEntry(held: Held, counter: TokenCounter): Held {
  const { entry } = held;
  const tokens = countEntry(counter, entry);
  const original_tokens = Math.ceil((entry.original_tokens / Math.max(1, entry.tokens)) * tokens);
  return hold({ ...entry, tokens, original_tokens });
}
