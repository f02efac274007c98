import { TOPICS, writeJson } from '@palimpsest/events';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions } from '../options.js';
import { partitionFinder } from '../partition-of-conversation.js';
import { invalidField, Problem } from '../problem.js';
import {
  type ConversationOf,
  type Cursor,
  isKnown,
  type Page,
  readFacts,
  readLag,
  readMessages,
  readState,
  readSummaries,
} from '../read-conversation.js';
import { pathId, wholeNumber } from '../validate.js';

const params = z.object({ id: pathId });
type Params = z.infer<typeof params>;
const paging = z.strictObject({
  limit: wholeNumber(1, 1_000).default(100),
  cursor: z.string().max(128).optional().describe('`next` of the page before.'),
});

/** `GET /v1/conversations/:id` and the lists under it. */
export function conversationRoutes(app: FastifyInstance, options: ContextApiOptions): void {
  const { pool, log } = options;
  const partitionOfConversation = partitionFinder(log);

  app.route<{ Params: Params }>({
    method: 'GET',
    url: '/v1/conversations/:id',
    config: { scope: 'read' },
    schema: { summary: 'State of a conversation: counts, position, lag, conflicts', params },
    handler: async (request) => {
      const live = await options.live();
      const tenant = tenantOf(request);
      const conversation = request.params.id;
      const state = await readState(pool, { generation: live.generation, tenant, conversation });
      if (state === null) throw noConversation();
      const partition = await partitionOfConversation(tenant, conversation);
      const bounds = await log.bounds(TOPICS.messages);
      const lag = await readLag(pool, {
        generation: live.generation,
        consumer: options.viewConsumer ?? 'truncator',
        partition,
        high: bounds.find((one) => one.partition === partition)?.high ?? 0n,
      });
      return {
        conversation_id: conversation,
        strategy: live.label,
        generation: live.generation,
        position: state.position,
        lag: Number(lag),
        ordered_by: state.orderedBy,
        counts: state.counts,
        tokens: state.tokens,
        original_tokens: state.originalTokens,
        summaries: state.summaries,
        facts: state.facts,
        conflicts: state.conflicts,
      };
    },
  });

  function list(
    name: string,
    summary: string,
    read: (pool: pg.Pool, of: ConversationOf, page: Page) => Promise<object[]>,
  ): void {
    app.route<{ Params: Params; Querystring: z.infer<typeof paging> }>({
      method: 'GET',
      url: `/v1/conversations/:id/${name}`,
      config: { scope: 'read' },
      schema: { summary, params, querystring: paging },
      handler: async (request, reply) => {
        const { generation } = await options.live();
        const of = { generation, tenant: tenantOf(request), conversation: request.params.id };
        if (!(await isKnown(pool, of))) throw noConversation();
        const { limit, cursor } = request.query;
        const rows = await read(pool, of, { limit, after: cursor === undefined ? null : readCursor(cursor) });
        const last = rows.at(-1) as { order: string; event_id: string } | undefined;
        const next = rows.length < limit || last === undefined ? null : `${last.order}.${last.event_id}`;
        // Numbers in what agents sent are answered as they were written.
        return reply.type('application/json; charset=utf-8').send(writeJson({ [name]: rows, next }));
      },
    });
  }
  list('messages', 'Events with their renditions, by order', readMessages);
  list('summaries', 'Summaries of blocks, by order', readSummaries);
  list('facts', 'Facts, superseded ones too, by the order of their sources', readFacts);
}

function readCursor(text: string): Cursor {
  const match = /^(-?\d{1,19})\.([0-9a-f-]{36})$/.exec(text);
  const order = match === null ? 2n ** 63n : BigInt(match[1] as string);
  if (
    match === null ||
    order >= 2n ** 63n ||
    !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(match[2] as string)
  ) {
    throw invalidField('?cursor', 'is not the "next" of a page');
  }
  return { order, id: match[2] as string };
}

function noConversation(): Problem {
  return new Problem('not-found', 'There is no such conversation.');
}
