import type { TaskEvent } from '@palimpsest/events';
import { assertMoment, type Cell, momentCell } from './cells.js';

/** What a task's event said; `cells` lie in the order of `TASK_COLUMNS`. */
export interface TaskRow {
  cells: Cell[];
}

export const TASK_COLUMNS = [
  'tenant',
  'task',
  'kind',
  'version',
  'event_id',
  'conversation',
  'agent',
  'outcome',
  'occurred_at',
] as const;

/**
 * A task event as a row. `offset` is its place in the log: of two events of one kind the later by `occurred_at`, then
 * by offset, counts, so an outcome can be corrected. Pure. Throws InvalidRowError for a moment that cannot be kept.
 */
export function taskRow(event: TaskEvent, offset: bigint): TaskRow {
  assertMoment('occurred_at', event.occurred_at);
  const values: Record<(typeof TASK_COLUMNS)[number], Cell> = {
    tenant: event.tenant,
    task: event.task_id,
    kind: event.type === 'task_started' ? 'started' : 'finished',
    version: ((BigInt(event.occurred_at) << 64n) | BigInt.asUintN(64, offset)).toString(),
    event_id: event.event_id,
    conversation: event.conversation_id,
    agent: event.agent ?? '',
    outcome: event.type === 'task_finished' ? event.outcome : '',
    occurred_at: momentCell(event.occurred_at),
  };
  return { cells: TASK_COLUMNS.map((name) => values[name]) };
}
