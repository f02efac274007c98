import { parseJson, writeJson } from '@palimpsest/events';
import type { ToolDeclaration } from '@palimpsest/strategy';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions } from '../options.js';
import { Problem } from '../problem.js';
import { pathId } from '../validate.js';

const params = z.object({
  conversation: pathId,
  name: pathId.describe('As the tool was declared.'),
});

/**
 * `GET /v1/tools/:conversation/:name`: what an agent answers a call of `resolve_tool_schema` with. Of the newest
 * declaration, whatever phase the task is in.
 */
export function toolRoutes(app: FastifyInstance, options: ContextApiOptions): void {
  app.route<{ Params: z.infer<typeof params> }>({
    method: 'GET',
    url: '/v1/tools/:conversation/:name',
    config: { scope: 'read' },
    schema: { summary: 'A declared tool with its whole schema', params },
    handler: async (request, reply) => {
      const { generation } = await options.live();
      const { conversation, name } = request.params;
      const { rows } = await options.pool.query<{ entry: string }>({
        name: 'tools-declared',
        text: `select entry from palimpsest.messages
                where generation = $1 and tenant = $2 and conversation_id = $3 and kind = 'tools_declared'
                order by ord desc limit 1`,
        values: [generation, tenantOf(request), conversation],
      });
      const declared =
        rows[0] === undefined ? [] : (JSON.parse(rows[0].entry) as { tools: ToolDeclaration[] }).tools;
      // Of two declared by one name the last counts, as for the model.
      const tool = declared.findLast((one) => one.name === name);
      if (tool === undefined) {
        throw new Problem('not-found', 'No tool of that name is declared in this conversation.');
      }
      const { summary, schema, phases } = tool;
      // Numbers in what agents sent are answered as they were written.
      return reply
        .type('application/json; charset=utf-8')
        .send(writeJson({ name, summary, phases, schema: parsedOr(schema) }));
    },
  });
}

function parsedOr(schema: string): unknown {
  try {
    return parseJson(schema);
  } catch {
    return {};
  }
}
