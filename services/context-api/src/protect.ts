import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Limits } from './options.js';
import { Problem } from './problem.js';

/**
 * Turns requests away before they cost much: over a key's rate with 429, with an overloaded event loop with 503. Both
 * say when to come back. Register after `guardRoutes`: the rate is counted by key, and only where a key is needed.
 */
export async function protectServer(app: FastifyInstance, limits: Limits): Promise<void> {
  if (limits.eventLoopDelayMs > 0) {
    await app.register(underPressure, {
      maxEventLoopDelay: limits.eventLoopDelayMs,
      pressureHandler: (request) => {
        if (request.routeOptions.config.scope === 'open') return;
        throw new Problem('unavailable', 'This server is overloaded at the moment. Try again.', {
          headers: { 'retry-after': '2' },
        });
      },
    });
  }
  await app.register(rateLimit, {
    max: limits.requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => request.apiKey?.keyId ?? request.ip,
    allowList: (request) => request.routeOptions.config.scope === 'open',
    errorResponseBuilder: (_, { max, ttl }) =>
      new Problem('too-many-requests', `This key is over its ${max} requests per minute.`, {
        headers: { 'retry-after': String(Math.ceil(ttl / 1000)) },
      }),
  });
}
