import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions, LedgerReader } from '../options.js';
import { Problem } from '../problem.js';
import { pathId } from '../validate.js';

const params = z.object({ id: pathId });
const groups = z.enum(['agent', 'strategy', 'day']);
const query = z.strictObject({
  group_by: z
    .string()
    .default('strategy')
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(groups)
        .min(1)
        .refine((list) => new Set(list).size === list.length, 'names a group twice'),
    )
    .meta({ description: 'One or more of agent, strategy, day, separated by commas.' }),
});

/** What tasks cost, from the ledger. */
export function costRoutes(app: FastifyInstance, options: ContextApiOptions): void {
  app.route<{ Params: z.infer<typeof params> }>({
    method: 'GET',
    url: '/v1/tasks/:id',
    config: { scope: 'read' },
    schema: { summary: 'Steps, cost, peak and outcome of a task', params },
    handler: async (request) => {
      const task = await ledgerOf(options).task(tenantOf(request), request.params.id);
      if (task === null) throw new Problem('not-found', 'There is no such task.');
      return task;
    },
  });

  app.route<{ Querystring: z.infer<typeof query> }>({
    method: 'GET',
    url: '/v1/costs',
    config: { scope: 'read' },
    schema: { summary: 'Cost by agent, strategy and day', querystring: query },
    handler: async (request) => ({
      costs: await ledgerOf(options).costs(tenantOf(request), request.query.group_by),
    }),
  });
}

function ledgerOf(options: ContextApiOptions): LedgerReader {
  if (options.ledger !== undefined) return options.ledger;
  throw new Problem('unavailable', 'This server has no ledger: start it with ClickHouse to ask for cost.');
}
