import type { ContentType } from './cut/index.js';

/**
 * An entry: a message, tool call or tool result as the window holds it, i.e. its rendition with its token count.
 * It lies as JSON in `messages.entry` and inside the state of `context_views`; the order of keys is fixed, so one
 * entry always has the same bytes.
 */
export interface Entry {
  /** Event id. */
  id: string;
  /** Place in the conversation (`seq`, else log offset), decimal. */
  order: string;
  /** Log offset, decimal: what was seen when. */
  offset: string;
  kind: EntryKind;
  role?: 'system' | 'developer' | 'user' | 'assistant';
  /** Text of the rendition; of a tool call its arguments. */
  text: string;
  /** Only where the message is more than one text: images, thinking, several texts, in order. */
  parts?: EntryPart[];
  tool?: string;
  call_id?: string;
  step_id?: string;
  is_error?: boolean;
  /** What the text is, where it was declared or the entry was cut; else it is detected when it must be cut. */
  type?: ContentType;
  /** Tokens of the rendition as sent, role and separators included. */
  tokens: number;
  /** Tokens of the original as sent. */
  original_tokens: number;
  /** Artifact id of the original, where the rendition is shorter. */
  artifact?: string;
  /** What was cut, in words. */
  dropped?: string;
  /** When it happened, ms since 1970. */
  at: number;
}

export type EntryKind = 'message' | 'tool_call' | 'tool_result';

export type EntryPart =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mime: string | null; data: string | null; url: string | null }
  | { kind: 'thinking'; text: string; signature: string | null };

export function textOfParts(parts: readonly EntryPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/**
 * An entry in memory: its order as a number that compares, and its JSON in UTF-8, written when first asked for and then
 * kept: the row of the message and every later row of its conversation's view copy these bytes.
 */
export class Held {
  readonly order: bigint;
  #bytes: Buffer | undefined;

  constructor(readonly entry: Entry) {
    this.order = BigInt(entry.order);
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.entry), 'utf8');
    return this.#bytes;
  }
}

export function hold(entry: Entry): Held {
  return new Held(entry);
}

/** By order, then by id: total, so that every run sorts alike. */
export function compareHeld(a: Held, b: Held): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.entry.id < b.entry.id ? -1 : a.entry.id > b.entry.id ? 1 : 0;
}

/** Puts `held` at its place in a sorted list; cheap where it belongs at the end. */
export function insertSorted(list: Held[], held: Held): void {
  let at = list.length;
  while (at > 0 && compareHeld(list[at - 1] as Held, held) > 0) at -= 1;
  list.splice(at, 0, held);
}

/** System and developer messages: the rules of the conversation. */
export function isRule(entry: Entry): boolean {
  return entry.role === 'system' || entry.role === 'developer';
}
