import { z } from 'zod';
import { integerDigits, plainNumber } from './parse-json.js';
import { parseTime } from './parse-time.js';

/** What `POST /v1/events` accepts, one schema per type. Unknown fields are refused: a typo must not lose data silently. */

const MAX_LONG = 2n ** 63n - 1n;
const PART_TYPES = new Set<unknown>(['text', 'image', 'thinking']);
const CLEAN = 'must not hold NUL or lone surrogates';

const id = z.string().min(1, 'must not be empty').max(512).refine(isCleanId, CLEAN);
const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'must be a UUID')
  .transform((text) => text.toLowerCase());
const seq = z
  .unknown()
  .refine((value) => {
    const digits = integerDigits(value);
    return digits !== undefined && BigInt(digits) >= 0n && BigInt(digits) <= MAX_LONG;
  }, 'must be an integer from 0 to 2^63-1')
  .transform((value) => BigInt(integerDigits(value) as string));
const time = z
  .string()
  .refine(
    (text) => parseTime(text) !== undefined,
    'must be a time from 1970 to 9999 as in RFC 3339, e.g. 2026-11-30T12:00:00Z',
  )
  .transform((text) => parseTime(text) as number);
const tokens = z.preprocess(plainNumber, z.int('must be a whole number of tokens').nonnegative());
const amount = z.preprocess(plainNumber, z.int().nonnegative());
const text = z.string();

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  z
    .strictObject({
      type: z.literal('image'),
      mime: z.string().max(128).refine(isCleanId, CLEAN).optional(),
      data: z.string().optional(),
      url: z.string().max(8192).optional(),
    })
    .refine((image) => (image.data === undefined) !== (image.url === undefined), 'needs either data or url'),
  z.strictObject({ type: z.literal('thinking'), text, signature: z.string().optional() }),
]);
export type InputPart = z.infer<typeof part>;

const content = z.union(
  [text, z.array(part)],
  'must be a text, or a list of parts of type text, image, thinking',
);

const common = {
  conversation_id: id,
  event_id: uuid.optional(),
  seq: seq.optional(),
  occurred_at: time.optional(),
  client_id: id.optional(),
  task_id: id.optional(),
  agent: id.optional(),
};

const usage = z.strictObject({
  input: tokens,
  output: tokens,
  cache_read: tokens.optional(),
  cache_write_5m: tokens.optional(),
  cache_write_1h: tokens.optional(),
  reasoning: tokens.optional(),
});

/** Taken as it is: a copy made key by key would lose `__proto__`, which is a key like any other in JSON. */
const jsonObject = z
  .unknown()
  .refine(isJsonObject, 'must be an object')
  .transform((value) => value as Record<string, unknown>)
  .meta({ type: 'object' });

/** One event as a client sends it. */
export const inputEvent = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('message'),
      ...common,
      role: z.enum(['system', 'developer', 'user', 'assistant']),
      content,
    }),
    z.strictObject({
      type: z.literal('tool_call'),
      ...common,
      call_id: id,
      tool: id,
      arguments: z.union([text, jsonObject], 'must be an object or the raw string').optional(),
      step_id: id.optional(),
    }),
    z.strictObject({
      type: z.literal('tool_result'),
      ...common,
      call_id: id,
      content: z.unknown().refine((value) => value !== undefined, 'is missing: a text, parts, or any JSON'),
      content_type: z.string().min(1).max(128).refine(isCleanId, CLEAN).optional(),
      is_error: z.boolean().optional(),
    }),
    z.strictObject({ type: z.literal('pin'), ...common, message_id: uuid }),
    z.strictObject({ type: z.literal('unpin'), ...common, message_id: uuid }),
    z.strictObject({ type: z.literal('correction'), ...common, message_id: uuid }),
    z.strictObject({
      type: z.literal('state_patch'),
      ...common,
      task_id: id,
      patch: jsonObject,
      source_ids: z.array(uuid).optional(),
    }),
    z.strictObject({
      type: z.literal('tools_declared'),
      ...common,
      tools: z.array(
        z.strictObject({
          name: id,
          summary: text,
          schema: jsonObject,
          phases: z.array(id).optional(),
        }),
      ),
    }),
    z.strictObject({ type: z.literal('phase'), ...common, task_id: id, phase: id }),
    z.strictObject({
      type: z.literal('conversation_settings'),
      ...common,
      agent_type: id.optional(),
      model: id.optional(),
      language: id.optional(),
      time_zone: z.string().refine(isTimeZone, 'must be an IANA time zone, e.g. Europe/Kyiv').optional(),
      flags: z
        .strictObject({ verbatim: z.boolean().optional(), full_context: z.boolean().optional() })
        .optional(),
    }),
    z.strictObject({
      type: z.literal('step'),
      ...common,
      task_id: id,
      step_index: amount,
      run_id: id.optional(),
      provider: id,
      model: id,
      usage,
      usage_semantics: z.enum(['input_includes_cache', 'input_excludes_cache']).optional(),
      answer_id: z.string().max(512).refine(isCleanId, CLEAN).optional(),
      request_id: z.string().max(512).refine(isCleanId, CLEAN).optional(),
      final: z.boolean().optional(),
      strategy: id.optional(),
      generation: amount.optional(),
      model_resolved: id.optional(),
      tool_name: id.optional(),
      tool_result_bytes: amount.optional(),
      state_bytes: amount.optional(),
      latency_ms: amount.optional(),
      ttft_ms: amount.optional(),
      context_tokens: amount.optional(),
      stable_prefix_tokens: amount.optional(),
    }),
    z.strictObject({ type: z.literal('task_started'), ...common, task_id: id }),
    z.strictObject({
      type: z.literal('task_finished'),
      ...common,
      task_id: id,
      outcome: z.enum(['completed', 'failed', 'abandoned', 'handed_over']).optional(),
    }),
  ],
  'must be one of: message, tool_call, tool_result, pin, unpin, correction, state_patch, tools_declared, phase, conversation_settings, step, task_started, task_finished',
);
export type InputEvent = z.infer<typeof inputEvent>;

/** Body of `POST /v1/events`: all or nothing, 1 to 1,000 events. */
export const inputBatch = z.strictObject({ events: z.array(inputEvent).min(1).max(1000) });

/** The parts of a tool result's content, where it is a list of parts; undefined where it is other JSON. */
export function partsOf(value: unknown): InputPart[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || !looksLikePart(value[0])) return undefined;
  const parsed = z.array(part).safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Asked first: collecting what is wrong with each of 100,000 rows of plain JSON would take seconds. */
function looksLikePart(value: unknown): boolean {
  return isJsonObject(value) && PART_TYPES.has((value as { type?: unknown }).type);
}

function isJsonObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && plainNumber(value) === value;
}

function isCleanId(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).format(0) !== '';
  } catch {
    return false;
  }
}
