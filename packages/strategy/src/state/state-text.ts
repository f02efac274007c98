import { MESSAGE_OVERHEAD_TOKENS, type TokenCounter } from '@palimpsest/tokens';
import { cut } from '../cut/index.js';
import type { Note } from '../note.js';
import type { StateField, TaskState } from './task-state.js';

/** The fields that architecture of agents agrees on, in the order in which they are read; all others follow. */
const FIRST = ['goal', 'phase', 'progress', 'decisions', 'open_questions', 'artifacts', 'next_action'];
/** Where room is short these are granted theirs first: without them the rest says nothing. */
const VITAL: ReadonlySet<string> = new Set(['goal', 'phase', 'next_action']);
/** Below this a value is only said to be there. */
const LEAST_TOKENS = 12;
const FOLDED = '"(folded)"';

/**
 * The working state as one JSON object within `cap` tokens, message included. Over it the fields that were changed
 * longest ago are folded first: cut as JSON, and at last only named. Null where there is nothing to show.
 */
export function stateNote(task: TaskState | null, cap: number, counter: TokenCounter): Note | null {
  const fields = inReadingOrder(task?.fields ?? []);
  if (fields.length === 0) return null;
  const heading = `Working state${task?.task === '' ? '' : ` of task ${task?.task ?? ''}`}:\n`;
  for (let room = cap - MESSAGE_OVERHEAD_TOKENS; room > 0; room -= Math.max(8, Math.ceil(room / 8))) {
    const written = write(fields, room - counter.count(heading) - 2, counter);
    if (written === null) return null;
    const text = heading + written;
    const tokens = counter.count(text) + MESSAGE_OVERHEAD_TOKENS;
    // Tokens can meet at a border so that the whole has more than its parts.
    if (tokens <= cap) return { kind: 'note', title: 'state', text, tokens };
  }
  return null;
}

function rank(name: string): number {
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

function inReadingOrder(fields: readonly StateField[]): StateField[] {
  return fields.toSorted(
    (a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

function keyOf({ name }: StateField): string {
  return `${JSON.stringify(name)}:`;
}

function write(fields: readonly StateField[], room: number, counter: TokenCounter): string | null {
  const shown = new Map<string, string>();
  // Every field that is shown at all can at least be named.
  const byWorth = fields.toSorted(
    (a, b) =>
      Number(VITAL.has(b.name)) - Number(VITAL.has(a.name)) ||
      (a.order > b.order ? -1 : a.order < b.order ? 1 : 0),
  );
  const frame = (field: StateField): number => counter.count(keyOf(field)) + 1;
  let left = room - 2;
  const named: StateField[] = [];
  for (const field of byWorth) {
    const least = frame(field) + Math.min(counter.count(FOLDED), counter.count(field.json));
    if (least > left) continue;
    left -= least;
    named.push(field);
  }
  for (const field of named) {
    const least = Math.min(counter.count(FOLDED), counter.count(field.json));
    const cap = left + least;
    const json = fold(field.json, cap, counter);
    left -= Math.max(0, counter.count(json) - least);
    shown.set(field.name, json);
  }
  if (shown.size === 0) return null;
  const parts = fields.flatMap((field) =>
    shown.has(field.name) ? [keyOf(field) + (shown.get(field.name) ?? '')] : [],
  );
  return `{${parts.join(',')}}`;
}

function fold(json: string, cap: number, counter: TokenCounter): string {
  if (counter.count(json) <= cap) return json;
  if (cap < LEAST_TOKENS) return FOLDED;
  const { text } = cut({ text: json, type: 'json' }, { maxTokens: cap, handle: 'state', counter });
  return isJson(text) && counter.count(text) <= cap ? text : FOLDED;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
