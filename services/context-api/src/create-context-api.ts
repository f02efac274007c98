import fastify, { type FastifyInstance, LogController } from 'fastify';
import { answerError, answerErrors, type ServedRoute } from './answer-errors.js';
import { guardRoutes } from './authorize.js';
import { parseBody } from './json-body.js';
import { measureRequests } from './measure.js';
import { describeApi } from './open-api.js';
import { type ContextApiOptions, DEFAULT_LIMITS } from './options.js';
import { protectServer } from './protect.js';
import { artifactRoutes } from './routes/artifacts.js';
import { contextRoute } from './routes/context.js';
import { conversationRoutes } from './routes/conversations.js';
import { costRoutes } from './routes/costs.js';
import { erasureRoute } from './routes/erasures.js';
import { eventRoutes } from './routes/events.js';
import { operationRoutes } from './routes/operations.js';
import { otlpRoutes } from './routes/otlp.js';
import { clickhouseRoutes } from './routes/sql-clickhouse.js';
import { sqlRoute } from './routes/sql.js';
import { toolRoutes } from './routes/tools.js';
import { workingStateRoute } from './routes/working-state.js';
import { validateWithZod } from './validate.js';

export interface ContextApi {
  /** For `inject` in tests; not listening until `listen`. */
  app: FastifyInstance;
  /** Every route that is served, so that a test can walk them all. */
  routes: readonly ServedRoute[];
  /** Listens on loopback unless told otherwise, on a free port unless told which. Returns the URL. */
  listen(address?: { host?: string; port?: number }): Promise<string>;
  /** Takes no new requests, lets running ones end (waiting ones at once), then resolves. The parts given stay open. */
  close(): Promise<void>;
}

/** Characters of one path parameter, percent-encoded: an id of 512 characters of three bytes each. */
const MAX_PARAM_LENGTH = 512 * 9;

/** The HTTP service over the given parts. Everything under `/v1` needs a key, whose tenant is the tenant. */
export async function createContextApi(options: ContextApiOptions): Promise<ContextApi> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const stopping = new AbortController();
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  }) as unknown as FastifyInstance;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, body: Buffer) =>
      parseBody(body, request.headers['content-type'] as string | undefined),
  );
  validateWithZod(app);
  const routes = answerErrors(app);
  measureRequests(app, options.metrics, options.logger);
  guardRoutes(app, options.pool);
  await protectServer(app, limits);
  await describeApi(app);
  // Plugins see only routes that are registered after them.
  app.register(async (served) => {
    operationRoutes(served, options);
    eventRoutes(served, options, limits);
    contextRoute(served, options, limits, stopping.signal);
    conversationRoutes(served, options);
    workingStateRoute(served, options);
    toolRoutes(served, options);
    artifactRoutes(served, options, limits);
    costRoutes(served, options);
    sqlRoute(served, options);
    clickhouseRoutes(served, options);
    otlpRoutes(served, options, limits);
    erasureRoute(served);
  });
  // A connection that is kept alive would hold up the close for as long as its client likes.
  app.addHook('onSend', async (_, reply) => {
    if (stopping.signal.aborted) reply.header('connection', 'close');
  });
  await app.ready();

  return {
    app,
    routes,
    listen: ({ host = '127.0.0.1', port = 0 } = {}) => app.listen({ host, port }),
    async close() {
      stopping.abort();
      await app.close();
    },
  };
}
