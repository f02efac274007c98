import { createHash } from 'node:crypto';
import { TOPICS } from '@palimpsest/events';
import { parsePosition } from '@palimpsest/views';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import { type ContextAnswer, type ContextRequest, CONTEXT_FORMATS } from '../context-reader.js';
import type { ContextApiOptions, Limits, LiveGeneration } from '../options.js';
import { partitionFinder } from '../partition-of-conversation.js';
import { invalidField, Problem } from '../problem.js';
import { pathId, wholeNumber } from '../validate.js';
import { waitForPosition } from '../wait-for-position.js';

const params = z.object({ id: pathId });
const query = z.strictObject({
  budget: wholeNumber(1, 1_000_000).default(8_000).describe('Tokens that the whole context may have.'),
  format: z.enum(CONTEXT_FORMATS).default('openai').describe('Whose message form is answered.'),
  query: z.string().max(8_192).optional().describe('Text that long-term memory is searched for.'),
  after: z.string().max(64).optional().describe('A position: wait until the view holds the event there.'),
  at: z.string().max(64).optional().describe('A position: the context as it was then. Not yet.'),
  strategy: z
    .string()
    .max(256)
    .optional()
    .describe('`name@version` in place of the live one: a generation of it must be there.'),
});
type Query = z.infer<typeof query>;

/** `GET /v1/conversations/:id/context`. `stopping` is aborted when the server closes: waiting requests end then. */
export function contextRoute(
  app: FastifyInstance,
  options: ContextApiOptions,
  limits: Limits,
  stopping: AbortSignal,
): void {
  const partitionOfConversation = partitionFinder(options.log);

  async function waitFor(
    after: string,
    tenant: string,
    conversation: string,
    strategy: string | undefined,
    gone: AbortSignal,
  ): Promise<number> {
    const place = parsePosition(after);
    if (place === null) throw invalidField('?after', 'is not a position as POST /v1/events answers them');
    const partition = await partitionOfConversation(tenant, conversation);
    if (place.topic !== TOPICS.messages || place.partition !== partition) {
      throw invalidField(
        '?after',
        'is not a position of a message of this conversation',
        'Give the position of a message, tool call or other event of this conversation; steps and tasks have none here.',
      );
    }
    const { generation } = await generationOf(strategy);
    const reached = await waitForPosition(options.pool, {
      generation,
      consumer: options.viewConsumer ?? 'truncator',
      place,
      timeoutMs: limits.waitMs,
      signal: AbortSignal.any([gone, stopping]),
    });
    if (reached === null) return generation;
    if (stopping.aborted) {
      throw new Problem('unavailable', 'This server is stopping. Ask again.', {
        headers: { 'retry-after': '1' },
      });
    }
    throw new Problem(
      'position-not-reached',
      `The view has not reached ${after} within ${limits.waitMs} ms. Ask again, or without "after".`,
      { headers: { 'retry-after': '1' }, members: { position: reached === '' ? null : reached } },
    );
  }

  async function generationOf(strategy: string | undefined): Promise<LiveGeneration> {
    if (strategy === undefined) return options.live();
    const found = await options.labelled?.(strategy);
    if (found === undefined || found === null) throw noStrategy(strategy);
    return found;
  }

  async function waitedAnswer(
    asked: ContextRequest,
    after: string | undefined,
    gone: AbortSignal,
  ): Promise<ContextAnswer | 'switched'> {
    const { tenant, conversation, strategy } = asked;
    if (after === undefined) return options.context.read(asked);
    const waited = await waitFor(after, tenant, conversation, strategy, gone);
    const answer = await options.context.read(asked);
    return 'generation' in answer && answer.generation !== waited ? 'switched' : answer;
  }

  app.route<{ Params: z.infer<typeof params>; Querystring: Query }>({
    method: 'GET',
    url: '/v1/conversations/:id/context',
    config: { scope: 'read' },
    schema: { summary: 'The context for the next call of the model', params, querystring: query },
    handler: async (request, reply) => {
      const { budget, format, query: search, after, strategy } = request.query;
      refuseWhatIsNotYet(request.query);
      const tenant = tenantOf(request);
      const conversation = request.params.id;
      if (strategy !== undefined) await generationOf(strategy);
      const gone = new AbortController();
      if (after !== undefined) reply.raw.once('close', () => gone.abort());
      const asked = { tenant, conversation, budget, format, query: search, strategy };
      let answer = await waitedAnswer(asked, after, gone.signal);
      // Switched in between: what was waited for is not what was read.
      while (answer === 'switched') answer = await waitedAnswer(asked, after, gone.signal);
      if ('noStrategy' in answer) throw noStrategy(strategy ?? '');
      if ('notFound' in answer) {
        throw new Problem(
          'not-found',
          'There is no such conversation, or none of its events is folded into the view yet: ask with "after".',
        );
      }
      if ('floor' in answer) {
        throw new Problem(
          'floor-above-budget',
          answer.why ??
            `What may not be left out is larger than the budget of ${budget} tokens. Raise the budget, or unpin.`,
          { members: { budget, floor: answer.floor } },
        );
      }
      if ('killed' in answer) {
        const { limit, dump } = answer.killed;
        request.log.error({ conversation, limit, dump }, 'a context above the kill switch was refused');
        throw new Problem(
          'above-kill-switch',
          `The call would be above the strategy's kill switch of ${limit} tokens. The dump says what it held: unpin, or lower the budget.`,
          { members: { limit, dump } },
        );
      }
      const etag = `"${createHash('sha256').update(answer.content).digest('base64url')}"`;
      reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'authorization' });
      if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.send(answer.body);
    },
  });
}

function refuseWhatIsNotYet(asked: Query): void {
  if (asked.at !== undefined) throw notYet('?at', 'Contexts of the past ("at") are not there yet.');
}

function noStrategy(label: string): Problem {
  return invalidField(
    '?strategy',
    `no generation of "${label}" is there`,
    'Replay the strategy beside the live one first ("palimpsest replay"); "palimpsest generations" lists them.',
  );
}

function notYet(path: string, detail: string): Problem {
  return new Problem('not-implemented', detail, { errors: [{ path, message: detail }] });
}

/** RFC 9110: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
