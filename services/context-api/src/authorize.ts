import { type ApiKey, findKey, type Scope } from '@palimpsest/views';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type pg from 'pg';
import { Problem } from './problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do; `open` = no key is asked for. Every route must say. */
    scope?: Scope | 'open';
    /** True: the key may stand where clients of ClickHouse put a password. */
    keyAsPassword?: boolean;
  }
  interface FastifyRequest {
    apiKey: ApiKey | null;
  }
}

/**
 * The wall in front of every route: a route that names no scope cannot be registered, and one under `/v1` cannot be
 * open. The tenant of a request is that of its key, and nothing else can name one.
 */
export function guardRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.decorateRequest('apiKey', null);
  app.addHook('onRoute', (route: RouteOptions) => {
    const scope = route.config?.scope;
    if (scope === undefined || (scope === 'open' && route.url.startsWith('/v1'))) {
      throw new Error(`Route ${String(route.method)} ${route.url} must name the scope that its key needs.`);
    }
  });
  app.addHook('onRequest', async (request) => {
    const scope = request.routeOptions.config.scope;
    // Undefined only where no route was found: the 404 tells nobody anything.
    if (scope === undefined || scope === 'open') return;
    const { keyAsPassword } = request.routeOptions.config;
    const key = await findKey(
      pool,
      (keyAsPassword === true ? passwordOf(request) : null) ?? bearerOf(request),
    );
    if (key === null) throw unauthorized('This API key is not known, or was revoked.');
    if (!key.scopes.includes(scope)) {
      throw new Problem('forbidden', `This API key lacks the scope "${scope}".`, {
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      });
    }
    request.apiKey = key;
  });
}

/** The tenant of an authorized request. */
export function tenantOf(request: FastifyRequest): string {
  if (request.apiKey === null) throw new Error('A route without a key asked for a tenant.');
  return request.apiKey.tenant;
}

/** `X-ClickHouse-Key`, or the password of Basic; null where there is neither. The user's name means nothing. */
function passwordOf(request: FastifyRequest): string | null {
  const key = request.headers['x-clickhouse-key'];
  if (typeof key === 'string' && key !== '') return key;
  const basic = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic === undefined) return null;
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

function bearerOf(request: FastifyRequest): string {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  if (match === null) throw unauthorized('Send an API key: "Authorization: Bearer <key>".');
  return match[1] as string;
}

function unauthorized(detail: string): Problem {
  return new Problem('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } });
}
