import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { InputEvent } from '@palimpsest/events';
import { InvalidUsageError } from '@palimpsest/ledger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ContextApiOptions, Limits } from '../options.js';
import { Problem } from '../problem.js';
import { acceptInputs } from './events.js';
import { readProtobufSpans } from './otlp-protobuf.js';
import { type OtlpSpan, readJsonSpans, UnreadableSpansError } from './otlp-span.js';
import { stepOfSpan } from './otlp-step.js';

const PROTOBUF = 'application/x-protobuf';
const READERS: Readonly<Record<string, (body: Buffer) => OtlpSpan[]>> = {
  'application/json': (body) => readJsonSpans(body.toString('utf8')),
  [PROTOBUF]: readProtobufSpans,
};

/**
 * `POST /v1/traces`: OTLP/HTTP, as JSON or protobuf, gzip or not. GenAI spans become steps, all others are passed
 * over. A span that cannot be a step is told in `partialSuccess` and does not keep the others out.
 */
export function otlpRoutes(app: FastifyInstance, options: ContextApiOptions, limits: Limits): void {
  app.register(async (served) => {
    served.removeAllContentTypeParsers();
    served.addContentTypeParser(
      Object.keys(READERS),
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => readSpans(request, body, limits),
    );
    served.route<{ Body: OtlpSpan[] }>({
      method: 'POST',
      url: '/v1/traces',
      config: { scope: 'ingest' },
      schema: { summary: 'Send OpenTelemetry GenAI spans: model calls become steps' },
      handler: async (request, reply) => {
        const steps: InputEvent[] = [];
        const refused: string[] = [];
        for (const span of request.body ?? []) {
          const step = stepOrReason(span);
          if (typeof step === 'string') refused.push(step);
          else if (step !== null) steps.push(step);
        }
        if (steps.length > 0) await acceptInputs(options, limits, request, steps);
        const isJson = contentTypeOf(request) === 'application/json';
        // An empty message of protobuf is an empty body: all accepted, or told in the log of the sender's collector.
        if (!isJson) return reply.type(PROTOBUF).send(partialSuccess(refused));
        const rejected = { rejectedSpans: String(refused.length), errorMessage: refused[0] };
        return reply.send(refused.length === 0 ? {} : { partialSuccess: rejected });
      },
    });
  });
}

async function readSpans(request: FastifyRequest, body: Buffer, limits: Limits): Promise<OtlpSpan[]> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Problem('unsupported-media-type', 'The body may be compressed by gzip, or not at all.');
  }
  try {
    const plain =
      encoding === 'gzip' ? await promisify(gunzip)(body, { maxOutputLength: limits.bodyBytes }) : body;
    return (READERS[contentTypeOf(request)] as (body: Buffer) => OtlpSpan[])(plain);
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Problem(
        'too-large',
        `The body is more than ${limits.bodyBytes} bytes: export fewer spans at once.`,
      );
    }
    const detail = cause instanceof UnreadableSpansError ? cause.message : 'The body cannot be unpacked.';
    throw new Problem('invalid-request', detail, { errors: [{ path: '', message: detail }], cause });
  }
}

function contentTypeOf(request: FastifyRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A span's step, null where it is none, or why it cannot be one. */
function stepOrReason(span: OtlpSpan): InputEvent | string | null {
  try {
    return stepOfSpan(span);
  } catch (error) {
    if (error instanceof InvalidUsageError) return `span ${span.spanId}: ${error.message}`;
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    return `span ${span.spanId}: ${issue?.path.join('.')} ${issue?.message}`;
  }
}

/** `ExportTraceServiceResponse` with its `partial_success`, or nothing where none was refused. */
function partialSuccess(refused: readonly string[]): Buffer {
  if (refused.length === 0) return Buffer.alloc(0);
  const message = Buffer.from((refused[0] as string).slice(0, 200));
  const inner = Buffer.concat([
    Buffer.from([0x08]),
    varint(refused.length),
    Buffer.from([0x12]),
    varint(message.length),
    message,
  ]);
  return Buffer.concat([Buffer.from([0x0a]), varint(inner.length), inner]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
