import type { Logger } from '@palimpsest/observability';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, PROBLEM_TYPE } from './problem.js';

export interface ServedRoute {
  method: string;
  /** With parameters as `:id`. */
  url: string;
}

/**
 * Every error leaves as a problem document; what is our fault is logged, without a word of the request's content.
 * Returns the list of routes, which fills as they are registered: it tells a 405 from a 404.
 */
export function answerErrors(app: FastifyInstance): readonly ServedRoute[] {
  const routes: (ServedRoute & { pattern: RegExp })[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = new RegExp(
      `^${route.url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`,
    );
    for (const method of [route.method].flat()) routes.push({ method, url: route.url, pattern });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
    const problem =
      allowed.length === 0
        ? new Problem('not-found', 'There is nothing at this path; see /openapi.json.')
        : new Problem(
            'method-not-allowed',
            `${request.method} is not possible here, only ${allowed.join(', ')}.`,
            {
              headers: { allow: allowed.join(', ') },
            },
          );
    return sendProblem(reply, problem);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply));
  return routes;
}

/** Also for errors before routing, which Fastify gives to `frameworkErrors`. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = error instanceof Problem ? error : problemOf(error);
  if (problem.statusCode >= 500 && problem.kind !== 'not-implemented') {
    logFailure(request.log as Logger, problem, error);
  }
  return sendProblem(reply, problem);
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.statusCode)
    .headers(problem.headers)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem.document()));
}

const RETRY_SOON = { 'retry-after': '1' };

/** Fastify's own errors by status, failures of Postgres by class, and anything else as 500 without its text. */
function problemOf(error: FastifyError): Problem {
  switch (error.statusCode) {
    case 400:
      return new Problem('invalid-request', error.message, { cause: error });
    case 413:
      return new Problem(
        'too-large',
        'The body is larger than this server takes: send fewer events at once.',
      );
    case 415:
      return new Problem('unsupported-media-type', 'The body must be application/json in UTF-8.');
    default:
  }
  if (isOutage(error)) {
    return new Problem(
      'unavailable',
      'A store that this needs cannot be reached. Try again: events are recognized by their event_id.',
      {
        headers: RETRY_SOON,
        cause: error,
      },
    );
  }
  return new Problem('internal', 'Something went wrong on our side; the log of the server tells more.', {
    cause: error,
  });
}

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN']);
/** SQLSTATE classes: connection 08, resources 53, operator 57; lock timeout, deadlock and serialization failure. */
const PASSING = /^(?:08|53|57)...$|^(?:55P03|40P01|40001)$/;

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, retryable } = error as { code?: unknown; retryable?: unknown };
  if (retryable === true) return true;
  if (typeof code === 'string' && (NETWORK.has(code) || PASSING.test(code))) return true;
  // pg names neither of these two by a code.
  if (/timeout exceeded when trying to connect|Connection terminated/.test(error.message)) return true;
  return isOutage(error.cause);
}

function logFailure(logger: Logger, problem: Problem, error: Error): void {
  logger.error({ err: error, problem: problem.kind }, 'a request failed');
}
