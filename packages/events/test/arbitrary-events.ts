import * as fc from 'fast-check';
import type { Envelope, EventType, PalimpsestEvent } from '../src/event.js';

/** Arbitrary events of every type, as they may be put into the codec. Test only. */

type EventOf<T extends EventType> = PalimpsestEvent & { type: T };
type Body<T extends EventType> = Omit<EventOf<T>, keyof Envelope | 'type'>;
type Arbitraries<T> = { [K in keyof T]-?: fc.Arbitrary<T[K]> };

/** Any UTF-16 text: NUL, lone surrogates, and lengths on both sides of avsc's two ways of writing (64 bytes). */
export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 120 }).map((u) => String.fromCharCode(...u)),
);
/** Text that may be a key: not empty, no NUL. */
export const keyText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  )
  .map((text) => text.replaceAll('\0', '0'));
const uuid = fc.uuid();
export const anyLong = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -70n, max: 70n }),
  fc.constantFrom(
    -(2n ** 63n),
    2n ** 63n - 1n,
    2n ** 52n,
    2n ** 53n,
    2n ** 53n - 1n,
    -(2n ** 53n),
    2n ** 62n,
  ),
);
const count = fc.oneof(
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom(0, 2 ** 52, 2 ** 52 - 1, Number.MAX_SAFE_INTEGER),
);
const time = fc.integer({ min: 0, max: 253_402_300_799_999 });
const factTime = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const part = fc.record({
  kind: fc.constantFrom('text' as const, 'image' as const, 'thinking' as const, 'unknown' as const),
  text: orNull(anyText),
  mime: orNull(anyText),
  data: orNull(anyText),
  url: orNull(anyText),
  signature: orNull(anyText),
});
const parts = fc.array(part, { maxLength: 4 });
const usage = fc.record({
  input: count,
  output: count,
  cache_read: orNull(count),
  cache_write_5m: orNull(count),
  cache_write_1h: orNull(count),
  reasoning: orNull(count),
});
const derivation = {
  from_order: anyLong,
  to_order: anyLong,
  seen_offset: anyLong,
  provider: anyText,
  model: anyText,
  prompt_hash: anyText,
  input_hash: anyText,
  stop_reason: anyText,
  usage: orNull(usage),
};
const aboutMessage = { message_id: uuid };

const bodies: { [T in EventType]: Arbitraries<Body<T>> } = {
  message: {
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'unknown'),
    content: parts,
  },
  tool_call: { call_id: anyText, tool: anyText, arguments: anyText, step_id: orNull(anyText) },
  tool_result: {
    call_id: anyText,
    content: parts,
    content_type: orNull(anyText),
    is_error: fc.boolean(),
  },
  pin: aboutMessage,
  unpin: aboutMessage,
  correction: aboutMessage,
  state_patch: { patch: anyText, source_ids: fc.array(uuid, { maxLength: 3 }) },
  tools_declared: {
    tools: fc.array(
      fc.record({
        name: anyText,
        summary: anyText,
        schema: anyText,
        phases: fc.array(anyText, { maxLength: 3 }),
      }),
      { maxLength: 3 },
    ),
  },
  phase: { phase: anyText },
  conversation_settings: {
    agent_type: orNull(anyText),
    model: orNull(anyText),
    language: orNull(anyText),
    time_zone: orNull(anyText),
    verbatim: orNull(fc.boolean()),
    full_context: orNull(fc.boolean()),
  },
  erasure_requested: { reason: orNull(anyText) },
  step: {
    step_index: count,
    run_id: orNull(anyText),
    provider: anyText,
    model: anyText,
    usage,
    usage_semantics: orNull(fc.constantFrom('input_includes_cache', 'input_excludes_cache', 'unknown')),
    answer_id: orNull(anyText),
    request_id: orNull(anyText),
    final: fc.boolean(),
    purpose: fc.constantFrom('answer', 'summary', 'facts', 'judge'),
    strategy: orNull(anyText),
    generation: orNull(count),
    model_resolved: orNull(anyText),
    tool_name: orNull(anyText),
    tool_result_bytes: orNull(count),
    state_bytes: orNull(count),
    latency_ms: orNull(count),
    ttft_ms: orNull(count),
    context_tokens: orNull(count),
    stable_prefix_tokens: orNull(count),
  },
  task_started: {},
  task_finished: {
    outcome: fc.constantFrom('completed', 'failed', 'abandoned', 'handed_over', 'unknown'),
  },
  summary_made: {
    ...derivation,
    text: anyText,
    carried: fc.array(anyText, { maxLength: 3 }),
    language: orNull(anyText),
  },
  facts_made: {
    ...derivation,
    facts: fc.array(
      fc.record({
        fact_type: anyText,
        actor: fc.constantFrom('client' as const, 'agent' as const, 'unknown' as const),
        subject: anyText,
        payload: anyText,
        valid_from: orNull(factTime),
        valid_until: orNull(factTime),
        source_id: anyText,
      }),
      { maxLength: 3 },
    ),
  },
};

/** Types whose `task_id` must be there. */
const OF_TASK = new Set<EventType>(['step', 'task_started', 'task_finished']);

/** Any event of a type that the log accepts. */
export function anyEvent(type: EventType): fc.Arbitrary<PalimpsestEvent> {
  return fc.record({
    type: fc.constant(type),
    event_id: uuid,
    tenant: keyText,
    conversation_id: keyText,
    seq: orNull(anyLong),
    occurred_at: time,
    client_id: orNull(keyText),
    task_id: OF_TASK.has(type) ? keyText : orNull(keyText),
    agent: orNull(keyText),
    ...bodies[type],
  } as Record<string, fc.Arbitrary<unknown>>) as unknown as fc.Arbitrary<PalimpsestEvent>;
}

/** The event with every text as the log gives it back: a lone surrogate is U+FFFD. */
export function asStored<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(asStored) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asStored(inner)])) as T;
}
