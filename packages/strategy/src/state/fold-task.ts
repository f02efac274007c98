import type { ConversationState } from '../conversation-state.js';
import type { JsonText } from './json-text.js';
import { applyWord, fitsRow, type TaskState, type TaskWord } from './task-state.js';

/** Tasks of a conversation that lie in its view's row, those with the newest words. */
const TASKS_KEPT = 4;

/**
 * Folds a patch or a phase. One that comes late, or for a task that has left the row, leaves the task to be folded anew
 * from its words (`staleTasks`, `refoldTask`): RFC 7396 gives another state for every order of the same patches.
 */
export function foldTaskWord(state: ConversationState, word: TaskWord, json: JsonText): void {
  const known = state.tasks.get(word.task);
  if (known === undefined) {
    const task: TaskState = { task: word.task, order: word.order, fields: [], ignored: 0 };
    if (state.tasksLeft) task.fields = null;
    else applyWord(task, word, json);
    put(state, task);
  } else if (known.fields === null || word.order < known.order) {
    known.fields = null;
    if (word.order > known.order) known.order = word.order;
  } else {
    applyWord(known, word, json);
    put(state, known);
  }
}

/** Tasks that wait to be folded anew. */
export function staleTasks(state: ConversationState): string[] {
  return [...state.tasks.values()].filter((task) => task.fields === null).map(({ task }) => task);
}

/** Puts a task in the row that was folded from all its words. */
export function refoldTask(state: ConversationState, task: TaskState): void {
  put(state, task);
}

/** The task that was spoken of last; null where there is none. */
export function currentTask(state: ConversationState): TaskState | null {
  let newest: TaskState | null = null;
  for (const task of state.tasks.values()) if (newest === null || task.order > newest.order) newest = task;
  return newest;
}

/** What stays follows from the set of all words, in whatever order they came. */
function put(state: ConversationState, task: TaskState): void {
  if (!fitsRow(task)) task.fields = null;
  state.tasks.set(task.task, task);
  while (state.tasks.size > TASKS_KEPT) {
    let oldest: TaskState | null = null;
    for (const one of state.tasks.values()) if (oldest === null || one.order < oldest.order) oldest = one;
    state.tasks.delete((oldest as TaskState).task);
    state.tasksLeft = true;
  }
}
