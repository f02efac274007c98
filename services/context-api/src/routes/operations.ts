import { renderMetrics } from '@palimpsest/observability';
import type { FastifyInstance } from 'fastify';
import type { ContextApiOptions } from '../options.js';
import { Problem } from '../problem.js';

/** What an operator and a load balancer ask for. Open: they say nothing about any tenant. */
export function operationRoutes(app: FastifyInstance, options: ContextApiOptions): void {
  const open = { config: { scope: 'open' as const } };

  app.route({
    method: 'GET',
    url: '/healthz',
    ...open,
    schema: { summary: 'Is the process alive' },
    handler: async () => ({
      status: 'alive',
    }),
  });

  app.route({
    method: 'GET',
    url: '/readyz',
    ...open,
    schema: { summary: 'May requests be sent here' },
    handler: async (request) => {
      const checks = Object.entries(options.readiness ?? {});
      const results = await Promise.allSettled(checks.map(([, check]) => check()));
      const failed = checks.filter((_, at) => results[at]?.status === 'rejected').map(([name]) => name);
      if (failed.length === 0) return { status: 'ready', checks: checks.map(([name]) => name) };
      for (const [at, result] of results.entries()) {
        if (result.status === 'rejected')
          request.log.warn({ check: checks[at]?.[0], err: result.reason }, 'not ready');
      }
      throw new Problem('unavailable', `Not ready: ${failed.join(', ')}.`, { members: { failed } });
    },
  });

  app.route({
    method: 'GET',
    url: '/metrics',
    ...open,
    schema: { summary: 'Metrics for Prometheus' },
    handler: async (_, reply) =>
      reply.type(options.metrics.registry.contentType).send(await renderMetrics(options.metrics)),
  });

  app.route({
    method: 'GET',
    url: '/openapi.json',
    ...open,
    schema: { summary: 'This description' },
    handler: async () => app.swagger(),
  });
}
