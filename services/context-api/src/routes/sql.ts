import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions } from '../options.js';
import { Problem } from '../problem.js';

const body = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(65_536)
    .describe('One ClickHouse query of the ledger; only reads, only this tenant.'),
});

/** `POST /v1/sql`: what `palimpsest sql` asks while a stack runs. */
export function sqlRoute(app: FastifyInstance, options: ContextApiOptions): void {
  app.route<{ Body: z.infer<typeof body> }>({
    method: 'POST',
    url: '/v1/sql',
    config: { scope: 'read' },
    schema: { summary: 'Ask the ledger, read-only', body },
    handler: async (request) => {
      if (options.ledger === undefined) {
        throw new Problem('unavailable', 'This server has no ledger: ask ClickHouse itself.');
      }
      try {
        return await options.ledger.sql(tenantOf(request), request.body.query);
      } catch (cause) {
        // What the engine says of a query speaks of that query and of tables every tenant has, never of rows.
        throw new Problem('invalid-request', (cause as Error).message, { cause });
      }
    },
  });
}
