import { createHash } from 'node:crypto';
import { type InputEvent, inputEvent } from '@palimpsest/events';
import { readProviderUsage } from '@palimpsest/ledger';
import type { OtlpSpan } from './otlp-span.js';

/** Operations that are a model call; spans of tools and agents hold others, and would count tokens twice. */
const MODEL_CALLS = new Set(['chat', 'text_completion', 'generate_content', 'embeddings']);

/**
 * The `step` that a GenAI span tells of, as a platform would send it; null for a span that is no model call with
 * usage. What the conventions have no attribute for is taken from ours: `palimpsest.task_id`, `palimpsest.run_id`,
 * `palimpsest.step_index`, `palimpsest.strategy`. Without a task the conversation is one, without a conversation the
 * trace. The event's id follows from trace and span, so that an export sent again counts once.
 * Throws for counts or names that a step cannot have.
 */
export function stepOfSpan(span: OtlpSpan): InputEvent | null {
  const { attributes } = span;
  const operation = textOf(span, 'gen_ai.operation.name');
  if (operation !== undefined && !MODEL_CALLS.has(operation)) return null;
  const hasUsage = attributes['gen_ai.usage.input_tokens'] ?? attributes['gen_ai.usage.prompt_tokens'];
  if (hasUsage === undefined) return null;
  const { usage } = readProviderUsage('otel', attributes);
  const conversation = textOf(span, 'gen_ai.conversation.id') ?? span.traceId;
  const input = {
    type: 'step',
    event_id: idOf(span),
    conversation_id: conversation,
    occurred_at: new Date(Number(span.endNanos / 1_000_000n)).toISOString(),
    task_id: textOf(span, 'palimpsest.task_id') ?? conversation,
    run_id: textOf(span, 'palimpsest.run_id'),
    step_index: attributes['palimpsest.step_index'] ?? 0,
    agent: textOf(span, 'gen_ai.agent.name'),
    strategy: textOf(span, 'palimpsest.strategy'),
    provider: textOf(span, 'gen_ai.provider.name', 'gen_ai.system') ?? 'otel',
    model: textOf(span, 'gen_ai.request.model', 'gen_ai.response.model'),
    model_resolved: textOf(span, 'gen_ai.response.model'),
    answer_id: textOf(span, 'gen_ai.response.id'),
    latency_ms:
      span.endNanos >= span.startNanos ? Number((span.endNanos - span.startNanos) / 1_000_000n) : undefined,
    usage: withoutNulls(usage),
    // As the conventions say, whatever the provider's own form means.
    usage_semantics: 'input_includes_cache',
  };
  return inputEvent.parse(withoutNulls(input));
}

function textOf(span: OtlpSpan, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = span.attributes[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function withoutNulls(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** A UUID of version 8 (RFC 9562: of one's own making). */
function idOf({ traceId, spanId }: OtlpSpan): string {
  const bytes = createHash('sha256').update(`${traceId}/${spanId}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
