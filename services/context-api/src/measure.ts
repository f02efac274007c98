import type { Logger, Metrics } from '@palimpsest/observability';
import type { FastifyInstance } from 'fastify';

/**
 * Counts and logs every answer by its route pattern. Neither the path nor the query is logged: ids may be names, and
 * a query may be a user's words.
 */
export function measureRequests(app: FastifyInstance, metrics: Metrics, logger: Logger): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const status = String(reply.statusCode);
    const seconds = reply.elapsedTime / 1000;
    metrics.http_requests_total.inc({ route, status });
    metrics.http_seconds.observe({ route }, seconds);
    if (route === '/v1/conversations/:id/context') {
      metrics.context_requests_total.inc({ status });
      metrics.context_seconds.observe(seconds);
      if (reply.statusCode === 422) metrics.context_floor_errors_total.inc();
    }
    logger.debug(
      { request: request.id, method: request.method, route, status, seconds, key: request.apiKey?.keyId },
      'answered',
    );
  });
}
