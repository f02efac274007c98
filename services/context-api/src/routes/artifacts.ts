import { findOriginal, type Lines, type Original, readLines } from '@palimpsest/views';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions, Limits } from '../options.js';
import { invalidField, Problem } from '../problem.js';
import { fields, fieldsQuery, grep, grepQuery } from './artifacts-search.js';
import { pathId, wholeNumber } from '../validate.js';

const MAX_LINE = 100_000_000;
/** Lines that one answer has at most. */
const MAX_LINES = 2_000;

const params = z.object({ id: pathId.describe('An artifact id, or the event id of a message.') });
const conversation = pathId
  .optional()
  .describe('Where it is known: finds messages that came by another way, too.');
const whole = z.strictObject({ conversation });
const head = z.strictObject({ conversation, lines: wholeNumber(1, MAX_LINES).default(20) });
const lines = z.strictObject({
  conversation,
  from: wholeNumber(1, MAX_LINE).describe('First line, counted from 1.'),
  to: wholeNumber(1, MAX_LINE).describe(`Last line, inclusive; at most ${MAX_LINES} lines.`),
});
const searched = z.strictObject({ conversation, ...grepQuery });
const picked = z.strictObject({ conversation, ...fieldsQuery });
type Params = z.infer<typeof params>;

/** Readers of what a view shows cut: the whole, its head, a stretch of lines, matching lines, fields of JSON. */
export function artifactRoutes(app: FastifyInstance, options: ContextApiOptions, limits: Limits): void {
  async function original(
    request: FastifyRequest<{ Params: Params; Querystring: { conversation?: string | undefined } }>,
  ) {
    const { generation } = await options.live();
    const found = await findOriginal(
      options.pool,
      {
        generation,
        tenant: tenantOf(request as FastifyRequest),
        id: request.params.id,
        conversation: request.query.conversation,
      },
      options.objects ?? null,
    );
    if (found === null) throw new Problem('not-found', 'There is no such artifact or message.');
    return found;
  }

  app.route<{ Params: Params; Querystring: z.infer<typeof whole> }>({
    method: 'GET',
    url: '/v1/artifacts/:id',
    config: { scope: 'read' },
    schema: { summary: 'An original, whole', params, querystring: whole },
    handler: async (request) => {
      const found = await original(request);
      const size = Buffer.byteLength(found.text);
      return { ...describe(found), size_bytes: size, content: found.text };
    },
  });

  app.route<{ Params: Params; Querystring: z.infer<typeof head> }>({
    method: 'GET',
    url: '/v1/artifacts/:id/head',
    config: { scope: 'read' },
    schema: { summary: 'Its first lines', params, querystring: head },
    handler: async (request) => {
      const found = await original(request);
      return answer(found, readLines(found.text, 1, request.query.lines, limits.linesBytes));
    },
  });

  app.route<{ Params: Params; Querystring: z.infer<typeof lines> }>({
    method: 'GET',
    url: '/v1/artifacts/:id/lines',
    config: { scope: 'read' },
    schema: { summary: 'A stretch of its lines', params, querystring: lines },
    handler: async (request) => {
      const { from, to } = request.query;
      if (to < from) throw invalidField('?to', 'must not be smaller than "from"');
      if (to - from >= MAX_LINES) throw invalidField('?to', `asks for more than ${MAX_LINES} lines`);
      const found = await original(request);
      return answer(found, readLines(found.text, from, to, limits.linesBytes));
    },
  });

  app.route<{ Params: Params; Querystring: z.infer<typeof searched> }>({
    method: 'GET',
    url: '/v1/artifacts/:id/grep',
    config: { scope: 'read' },
    schema: { summary: 'Its lines that match a pattern', params, querystring: searched },
    handler: async (request) => {
      const found = await original(request);
      return { ...describe(found), ...(await grep(found, request.query, limits)) };
    },
  });

  app.route<{ Params: Params; Querystring: z.infer<typeof picked> }>({
    method: 'GET',
    url: '/v1/artifacts/:id/fields',
    config: { scope: 'read' },
    schema: { summary: 'Values at JSON paths of it', params, querystring: picked },
    handler: async (request, reply) => {
      const found = await original(request);
      const about = JSON.stringify(describe(found)).slice(0, -1);
      // Written by hand: a number parsed and written again may be another number.
      reply.header('content-type', 'application/json; charset=utf-8');
      return reply.send(Buffer.from(`${about},"fields":${fields(found, request.query, limits)}}`));
    },
  });
}

function describe(found: Original) {
  return { id: found.id, conversation_id: found.conversationId, mime: found.mime };
}

function answer(found: Original, read: Lines) {
  const { from, to, total, text, truncated } = read;
  return { ...describe(found), from, to, total_lines: total, truncated, content: text };
}
