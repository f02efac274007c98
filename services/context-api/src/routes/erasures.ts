import type { FastifyInstance } from 'fastify';
import { Problem } from '../problem.js';

/** `POST /v1/erasures`: says that it does nothing yet, since to pretend would be the worst answer. */
export function erasureRoute(app: FastifyInstance): void {
  app.route({
    method: 'POST',
    url: '/v1/erasures',
    config: { scope: 'admin' },
    schema: { summary: 'Erase a conversation or client. Not yet.' },
    handler: async () => {
      throw new Problem('not-implemented', 'Erasure is not there yet. Nothing was erased.');
    },
  });
}
