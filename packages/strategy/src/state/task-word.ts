import { wellFormed } from '../cut/index.js';
import type { TaskWord } from './task-state.js';

/** A `state_patch` or `phase` event, or what its row keeps of it. */
export type SaidOfTask = { event_id: string; task_id: string | null } & (
  | { type: 'state_patch'; patch: string; source_ids: readonly string[] }
  | { type: 'phase'; phase: string }
);

/** What a patch says of its task; a phase patches the field of that name. The same of an event and of its row. */
export function taskWord(said: SaidOfTask, order: bigint): TaskWord {
  const task = wellFormed(said.task_id ?? '');
  return said.type === 'phase'
    ? {
        id: said.event_id,
        task,
        order,
        patch: JSON.stringify({ phase: wellFormed(said.phase) }),
        sources: [],
      }
    : { id: said.event_id, task, order, patch: wellFormed(said.patch), sources: said.source_ids };
}
