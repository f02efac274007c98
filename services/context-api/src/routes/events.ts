import {
  inputBatch,
  inputDigest,
  type InputEvent,
  keyOf,
  type PalimpsestEvent,
  toEvent,
  topicOf,
} from '@palimpsest/events';
import { traceHeaders } from '@palimpsest/observability';
import { acceptBatch, AcceptConflictError, type Candidate } from '@palimpsest/views';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { tenantOf } from '../authorize.js';
import { newEventId } from '../event-id.js';
import type { ContextApiOptions, Limits } from '../options.js';
import { type FieldError, invalidField, Problem } from '../problem.js';

interface NewEvent extends Candidate {
  key: string;
  value: Buffer;
}

const receipt = z.object({
  accepted: z.int(),
  duplicates: z.int(),
  positions: z.array(z.object({ event_id: z.string(), position: z.string() })),
});

/** `POST /v1/events`: validated, encoded and measured before anything is stored, then accepted as a whole. */
export function eventRoutes(app: FastifyInstance, options: ContextApiOptions, limits: Limits): void {
  app.route<{ Body: z.infer<typeof inputBatch> }>({
    method: 'POST',
    url: '/v1/events',
    config: { scope: 'ingest' },
    schema: {
      summary: 'Send events: 1 to 1,000, all or nothing, idempotent by event_id',
      body: inputBatch,
      response: { 202: receipt },
    },
    handler: async (request, reply) =>
      reply.code(202).send(await acceptInputs(options, limits, request, request.body.events)),
  });
}

/** Accepts events of the key's tenant as a whole, whatever route they came by. Throws the Problem to answer with. */
export async function acceptInputs(
  options: ContextApiOptions,
  limits: Limits,
  request: FastifyRequest,
  inputs: readonly InputEvent[],
): Promise<z.infer<typeof receipt>> {
  const tenant = tenantOf(request);
  const live = await options.live();
  const now = Date.now();
  const origin = {
    tenant,
    now,
    newId: () => newEventId(now),
    strategy: live.label,
    generation: live.generation,
  };
  const events = inputs.map((input, index): NewEvent => {
    const event = toEvent(input, origin);
    return {
      eventId: event.event_id,
      conversationId: event.conversation_id,
      seq: event.seq,
      digest: inputDigest(input),
      topic: topicOf(event.type),
      key: keyOf(event),
      value: encode(options, event, index, limits.eventBytes),
    };
  });
  const trace = traceHeaders(request.headers);
  const accepted = await acceptBatch(options.pool, tenant, events, async (topic, fresh) => {
    const records = fresh.map((one) => ({
      key: one.key,
      value: one.value,
      headers: { ...trace, 'event-id': one.eventId },
    }));
    return options.log.append(topic, records).catch((cause: unknown) => {
      throw new Problem('unavailable', 'The log cannot take events at the moment. Try again.', {
        headers: { 'retry-after': '1' },
        cause,
      });
    });
  }).catch((error: unknown) => {
    throw error instanceof AcceptConflictError ? conflict(error) : error;
  });
  const duplicates = accepted.filter((one) => one.duplicate).length;
  return {
    accepted: accepted.length - duplicates,
    duplicates,
    positions: accepted.map((one) => ({ event_id: one.eventId, position: one.position })),
  };
}

function encode(options: ContextApiOptions, event: PalimpsestEvent, index: number, maxBytes: number): Buffer {
  let value: Buffer;
  try {
    value = options.codec.encode(event);
  } catch (cause) {
    // A schema id that is missing is our fault and stays a 500; a value that Avro cannot hold is the request's.
    if (/schema id/.test((cause as Error).message)) throw cause;
    throw invalidField(`/events/${index}`, 'holds a value that cannot be stored');
  }
  if (value.length <= maxBytes) return value;
  const path = `/events/${index}`;
  const message = `is ${value.length} bytes, more than the ${maxBytes} that one event may have`;
  throw new Problem('too-large', `${path} ${message}.`, {
    errors: [
      {
        path,
        message,
        remedy: 'Put large payloads into several events, or send a url in place of the data.',
      },
    ],
  });
}

const REMEDIES = {
  event_id: 'Repeat an event exactly as it was, or send it with an id of its own.',
  seq: 'Each event of a conversation has a seq of its own, or none of them has one.',
};

function conflict(error: AcceptConflictError): Problem {
  const errors = error.conflicts.slice(0, 50).map(({ index, field, message }): FieldError => {
    return { path: `/events/${index}/${field}`, message, remedy: REMEDIES[field] };
  });
  return new Problem('conflict', `${errors[0]?.path}: ${errors[0]?.message}. Nothing was accepted.`, {
    errors,
  });
}
