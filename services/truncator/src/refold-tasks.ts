import {
  foldTask,
  refoldTask,
  type SaidOfTask,
  staleTasks,
  taskWord,
  type TaskWord,
} from '@palimpsest/strategy';
import type pg from 'pg';
import { exactJson } from './fold-control.js';
import type { Touched } from './resolve-pins.js';

interface WordRow {
  tenant: string;
  conversation_id: string;
  event_id: string;
  ord: string;
  kind: 'state_patch' | 'phase';
  entry: string;
}

/**
 * Folds tasks anew from all their words, where one came late or for a task that had left the row. One statement for all
 * conversations of a batch, none where every word came in its place.
 */
export async function refoldTasks(
  tx: pg.PoolClient,
  generation: number,
  touched: readonly Touched[],
): Promise<void> {
  const stale = touched.filter(({ state }) => staleTasks(state).length > 0);
  if (stale.length === 0) return;
  const { rows } = await tx.query<WordRow>(
    `select m.tenant, m.conversation_id, m.event_id, m.ord, m.kind, m.entry
     from unnest($2::text[], $3::text[]) as c (tenant, conversation_id)
     join palimpsest.messages m
       on m.generation = $1 and m.tenant = c.tenant and m.conversation_id = c.conversation_id
     where m.kind in ('state_patch', 'phase')
     order by m.ord`,
    [generation, stale.map(({ tenant }) => tenant), stale.map(({ conversationId }) => conversationId)],
  );
  for (const { tenant, conversationId, state } of stale) {
    const words = rows
      .filter((row) => row.tenant === tenant && row.conversation_id === conversationId)
      .map(wordOf);
    for (const task of staleTasks(state)) {
      refoldTask(
        state,
        foldTask(
          words.filter((word) => word.task === task),
          exactJson,
        ),
      );
    }
  }
}

function wordOf({ event_id, ord, kind, entry }: WordRow): TaskWord {
  return taskWord({ ...(JSON.parse(entry) as object), event_id, type: kind } as SaidOfTask, BigInt(ord));
}
