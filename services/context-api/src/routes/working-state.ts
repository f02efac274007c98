import { parseJson, writeJson } from '@palimpsest/events';
import { foldTask, type SaidOfTask, type TaskState, taskWord, type TaskWord } from '@palimpsest/strategy';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions } from '../options.js';
import { Problem } from '../problem.js';
import { type ConversationOf, isKnown } from '../read-conversation.js';
import { pathId } from '../validate.js';

const params = z.object({ id: pathId });
const query = z.strictObject({ task_id: pathId.optional().describe('This task only.') });

/** `GET /v1/conversations/:id/state`: the working state of each task, the one spoken of last first. */
export function workingStateRoute(app: FastifyInstance, options: ContextApiOptions): void {
  app.route<{ Params: z.infer<typeof params>; Querystring: z.infer<typeof query> }>({
    method: 'GET',
    url: '/v1/conversations/:id/state',
    config: { scope: 'read' },
    schema: {
      summary: 'Working state of the tasks, every field with what it came from',
      params,
      querystring: query,
    },
    handler: async (request, reply) => {
      const { generation } = await options.live();
      const of = { generation, tenant: tenantOf(request), conversation: request.params.id };
      if (!(await isKnown(options.pool, of)))
        throw new Problem('not-found', 'There is no such conversation.');
      const tasks = await readTasks(options.pool, of, request.query.task_id);
      // Numbers in what agents sent are answered as they were written.
      return reply.type('application/json; charset=utf-8').send(writeJson({ tasks: tasks.map(answerOf) }));
    },
  });
}

/** Folded from the rows of all words, so that tasks of long ago are there as well. */
async function readTasks(pool: pg.Pool, of: ConversationOf, task: string | undefined): Promise<TaskState[]> {
  const { rows } = await pool.query<{
    event_id: string;
    ord: string;
    kind: SaidOfTask['type'];
    entry: string;
  }>({
    name: 'conversation-tasks',
    text: `select event_id, ord::text, kind, entry from palimpsest.messages
            where generation = $1 and tenant = $2 and conversation_id = $3 and kind in ('state_patch', 'phase')
              and ($4::text is null or coalesce(entry::json ->> 'task_id', '') = $4)
            order by ord`,
    values: [of.generation, of.tenant, of.conversation, task ?? null],
  });
  const words = new Map<string, TaskWord[]>();
  for (const { event_id, ord, kind, entry } of rows) {
    const said = { ...(JSON.parse(entry) as object), event_id, type: kind } as SaidOfTask;
    const word = taskWord(said, BigInt(ord));
    words.set(word.task, [...(words.get(word.task) ?? []), word]);
  }
  return [...words.values()]
    .map((list) => foldTask(list, { parse: parseJson, write: writeJson }))
    .toSorted((a, b) => (a.order > b.order ? -1 : 1));
}

function answerOf({ task, order, fields, ignored }: TaskState): object {
  return {
    task_id: task,
    order: order.toString(),
    state: Object.fromEntries((fields ?? []).map(({ name, json }) => [name, parseJson(json)])),
    sources: Object.fromEntries((fields ?? []).map(({ name, sources }) => [name, sources])),
    ignored_patches: ignored,
  };
}
