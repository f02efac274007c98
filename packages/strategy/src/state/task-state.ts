import { wellFormed } from '../cut/index.js';
import { isPlainObject, type JsonText } from './json-text.js';
import { listPatchOf, mergePatch, patchList } from './merge-patch.js';

/** One top-level field of a task's working state. */
export interface StateField {
  name: string;
  /** JSON text, numbers as written. */
  json: string;
  /** Order of the last word that changed it. */
  order: bigint;
  /** Event ids that it came from: those that its words named, else the words themselves. */
  sources: string[];
}

/** The working state of a task: what its patches and phases say, applied in the order of the conversation. */
export interface TaskState {
  /** Empty where the producer named no task. */
  task: string;
  /** Order of the newest word. */
  order: bigint;
  /** In the order in which they first came. Null = to be folded anew from all words. */
  fields: StateField[] | null;
  /** Words that were no JSON object. */
  ignored: number;
}

/** A `state_patch`, or a `phase`, which patches the field of that name. */
export interface TaskWord {
  id: string;
  task: string;
  order: bigint;
  /** JSON text. */
  patch: string;
  sources: readonly string[];
}

/** Source ids kept of one field, the newest ones. */
const SOURCES_KEPT = 8;
/** Characters of a state that stays folded in the view's row; a larger one is folded anew for every change of it. */
const STATE_CHARS = 128 * 1024;
const LISTS: ReadonlySet<string> = new Set(['decisions', 'open_questions', 'artifacts']);

/** The state of a task after all its words, whatever order they are given in. */
export function foldTask(words: readonly TaskWord[], json: JsonText): TaskState {
  const sorted = words.toSorted((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  const state: TaskState = {
    task: sorted[0]?.task ?? '',
    order: sorted[0]?.order ?? 0n,
    fields: [],
    ignored: 0,
  };
  for (const word of sorted) applyWord(state, word, json);
  return state;
}

/** Applies a word that is newer than all before it. */
export function applyWord(state: TaskState, word: TaskWord, json: JsonText): void {
  state.order = word.order;
  const patch = objectOf(word.patch, json);
  if (patch === null) {
    state.ignored += 1;
    return;
  }
  const sources = word.sources.length === 0 ? [word.id] : word.sources.map(wellFormed);
  const fields = new Map((state.fields ?? []).map((field) => [field.name, field]));
  for (const [given, change] of Object.entries(patch)) {
    const name = wellFormed(given);
    const before = fields.get(name);
    const value = changed(name, before === undefined ? undefined : json.parse(before.json), change, json);
    if (value === undefined) {
      fields.delete(name);
      continue;
    }
    // A field that is only replaced has no sources but the new ones; one that grows keeps those before.
    const grown = before !== undefined && isPlainObject(change) ? [...before.sources, ...sources] : sources;
    fields.set(name, {
      name,
      json: json.write(value),
      order: word.order,
      sources: [...new Set(grown)].slice(-SOURCES_KEPT),
    });
  }
  state.fields = [...fields.values()];
}

/** Whether the folded fields are small enough to lie in the view's row. */
export function fitsRow(state: TaskState): boolean {
  let chars = 0;
  for (const { name, json } of state.fields ?? []) chars += name.length + json.length;
  return chars <= STATE_CHARS;
}

/** The value of a field as text, where it is one. */
export function textField(state: TaskState | null, name: string): string | null {
  const json = state?.fields?.find((field) => field.name === name)?.json;
  if (json === undefined || !json.startsWith('"')) return null;
  return JSON.parse(json) as string;
}

function changed(name: string, before: unknown, change: unknown, json: JsonText): unknown {
  if (change === null) return undefined;
  const list =
    LISTS.has(name) && (before === undefined || Array.isArray(before)) ? listPatchOf(change) : null;
  const value =
    list === null
      ? mergePatch(before, change)
      : patchList((before as unknown[] | undefined) ?? [], list, (item) => json.write(item));
  return storable(value);
}

function objectOf(text: string, json: JsonText): Record<string, unknown> | null {
  try {
    const value = json.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Names and texts as Postgres can hold them. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [wellFormed(name), storable(part)]));
}
