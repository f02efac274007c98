import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string(), remedy: z.string().optional() }))
      .optional(),
  })
  .loose();

/** Describes the API from the very schemas that requests are checked with; served by the route `/openapi.json`. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Palimpsest',
        version: '0.1.0',
        description:
          'Events of agents in, contexts for their next call out. Errors are problem documents (RFC 9457).',
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...jsonSchemas((schema ?? {}) as FastifySchema),
        ...security(route.config?.scope),
      } as FastifySchema,
    }),
  });
}

function security(scope: string | undefined): object {
  return scope === undefined || scope === 'open' ? {} : { security: [{ key: [] }] };
}

/** The schema of a route with its zod parts as JSON Schema. */
function jsonSchemas(schema: FastifySchema): Record<string, unknown> {
  const known = schema as Record<string, unknown>;
  const out: Record<string, unknown> = { ...known };
  for (const part of ['body', 'querystring', 'params', 'headers']) {
    if (known[part] instanceof z.ZodType) out[part] = jsonSchema(known[part]);
  }
  const responses: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries((known['response'] ?? {}) as Record<string, unknown>)) {
    responses[status] = answer instanceof z.ZodType ? jsonSchema(answer) : answer;
  }
  responses['default'] = {
    description: 'What went wrong.',
    content: { 'application/problem+json': { schema: jsonSchema(problem) } },
  };
  out['response'] = responses;
  return out;
}

/** What a client sends. A `seq` takes any 64-bit value, so its schema is unknown to zod and told here. */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: found, path }) => {
      if (path.at(-1) !== 'seq') return;
      found.anyOf = [
        { type: 'integer', minimum: 0 },
        { type: 'string', pattern: '^\\d{1,19}$' },
      ];
    },
  });
  return json;
}
